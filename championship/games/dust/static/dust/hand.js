// Tap a card of the hand, then a slot: the slots that a die shows light up, the others are closed. A tap on a slot without
// a card in hand uses the die there. A tap on any other card shows it in words. The buttons of the page do the rest; those
// under the cards of the hand are hidden while this script runs.
(function () {
  "use strict";

  document.documentElement.classList.add("by-tap");
  var picked = null; // the item of the hand whose card was tapped

  function all(selector, within) { return [].slice.call((within || document).querySelectorAll(selector)); }
  function made(kind, name, text) {
    var part = document.createElement(kind);
    part.className = name;
    if (text) part.textContent = text;
    if (kind === "button") part.type = "button";
    return part;
  }

  function putBack() {
    picked = null;
    all(".picked-bar").forEach(function (bar) { bar.remove(); });
    all(".picked").forEach(function (item) { item.classList.remove("picked"); });
    all("[aria-pressed]", document.querySelector(".hand")).forEach(function (card) { card.setAttribute("aria-pressed", "false"); });
    all(".slot.takes").forEach(function (slot) { slot.classList.remove("takes"); });
    all(".slots.choosing").forEach(function (slots) { slots.classList.remove("choosing"); });
  }

  // The name of a card of the hand, as a link that shows what the rules say of its signs.
  function named(held) {
    var name = made("strong", "", held.querySelector(".playcard-title").textContent), link = made("a", "term");
    if (!held.dataset.at) return name;
    link.href = held.dataset.at;
    link.dataset.place = "";
    link.append(name);
    return link;
  }

  function bar(shown) {
    var tray = document.querySelector(".tray.laying"), box = made("div", "picked-bar"), shut = made("button", "shut", "×");
    if (!tray) return;
    shut.setAttribute("aria-label", document.querySelector("#handrow") ? document.querySelector("#handrow").dataset.back : "×");
    shut.addEventListener("click", putBack);
    box.setAttribute("role", "status");
    box.append.apply(box, shown.concat(shut));
    tray.prepend(box);
  }

  function pick(item) {
    var again = picked === item, words = document.querySelector("#handrow").dataset;
    putBack();
    if (again) return;
    picked = item;
    item.classList.add("picked");
    var card = item.querySelector("[data-pick]"), later = made("span", "later");
    card.setAttribute("aria-pressed", "true");
    document.querySelector(".slots").classList.add("choosing");
    var lit = all(".toslots button[data-lit]:not(:disabled)", item);
    lit.forEach(function (button) { document.getElementById("slot-" + button.dataset.slot).classList.add("takes"); });
    all(".toslots button:not([data-lit], :disabled)", item).forEach(function (button) {
      var way = made("button", "later-slot", button.dataset.slot);
      way.dataset.slot = button.dataset.slot;
      way.addEventListener("click", function () { button.click(); });
      later.append(way);
    });
    if (later.children.length) later.prepend(words.later + " ");
    var said = made("span", "said");
    said.append(named(card), ": " + (lit.length ? words.lit : words.none));
    bar([said, later]);
    inSight(lit.map(function (button) { return document.getElementById("slot-" + button.dataset.slot); }));
  }

  // Scrolls up no further than needed to show the slots below the strip that lies over the page.
  function inSight(slots) {
    var strip = document.querySelector(".strip"), edge = strip ? strip.getBoundingClientRect().bottom : 0;
    var above = Math.min.apply(null, slots.map(function (slot) { return slot.getBoundingClientRect().top; })) - edge;
    if (slots.length && above < 0) window.scrollBy({ top: above - 4, behavior: "instant" });
  }

  function show(card) {
    var copy = card.cloneNode(true), held = card.closest(".held-card");
    putBack();
    if (held) copy.querySelector(".playcard-title").replaceChildren(named(held));
    copy.classList.remove("playcard-small");
    bar([copy]);
  }

  function tapped(event) {
    if (!event.target.closest || event.target.closest("button, a, summary, label, .picked-bar")) return;
    var held = event.target.closest("#handrow [data-pick]"), slot = event.target.closest("#lay .slot");
    if (held) { pick(held.closest("li")); return; }
    if (slot && picked) {
      var button = picked.querySelector('.toslots button[data-lit]:not(:disabled)[data-slot="' + slot.dataset.slot + '"]');
      if (button) { putBack(); button.click(); }
      return;
    }
    var card = event.target.closest("#lay .playcard"), use = slot && slot.querySelector(".use");
    if (use && slot.querySelector(".playcard")) use.click();
    else if (card) show(card);
    else if (picked) putBack();
  }

  // Cards that can be picked are buttons for the keyboard and for readers of the screen.
  function ready() {
    all("#handrow [data-pick]").forEach(function (card) {
      card.setAttribute("role", "button");
      card.setAttribute("aria-pressed", "false");
      card.tabIndex = 0;
    });
    all(".slots .slot").forEach(function (slot) { slot.tabIndex = -1; });
  }

  document.addEventListener("click", tapped);
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && document.querySelector(".picked-bar")) { putBack(); return; }
    if ((event.key !== "Enter" && event.key !== " ") || !event.target.matches || !event.target.matches("#handrow [data-pick]")) return;
    event.preventDefault();
    pick(event.target.closest("li"));
    var first = document.querySelector(".slot.takes, .picked-bar .later-slot");
    if (first) first.focus();
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && event.target.matches && event.target.matches(".slot.takes")) tapped(event);
  });
  document.addEventListener("htmx:afterSwap", function () { putBack(); ready(); });
  document.addEventListener("DOMContentLoaded", ready);
})();
