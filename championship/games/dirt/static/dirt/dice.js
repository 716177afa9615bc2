// Dice tumble once in each browser: dice that a window has shown already lie still. Without script the server decides
// which dice are new. A press, a key or the button skips the animation. Screen readers announce each roll once.
(function () {
  "use strict";

  var told = null; // the section with the result of the last press
  var heard; // the live region, which survives every swap of the page's fragment

  function shownOf(run) {
    try { return Number(window.localStorage.getItem("dice:" + run)) || 0; } catch (refused) { return 0; }
  }

  function keep(run, version) {
    try { window.localStorage.setItem("dice:" + run, String(version)); } catch (refused) { /* no storage: fine */ }
  }

  function still(thing) {
    thing.removeAttribute("data-new");
    thing.removeAttribute("data-order");
  }

  // Mark the dice and lamps that were rolled after post `shown`, in the order in which they fall.
  function mark(section, shown) {
    var flat = section.dataset.way === "flat";
    var fallen = 0, throws = {}, order = {};
    section.querySelectorAll(".die-rolled[data-post]").forEach(function (die) {
      if (Number(die.dataset.post) <= shown) { still(die); return; }
      var name = die.dataset.throw;
      if (flat || !throws[name]) fallen += 1;
      throws[name] = throws[name] || fallen;
      order[name] = order[name] || [];
      if (die.querySelector("[data-face='warning']:not(i)")) order[name].push(fallen);
      die.setAttribute("data-new", "");
      die.setAttribute("data-order", flat ? fallen : throws[name]);
    });
    section.querySelectorAll(".lamp[data-post]").forEach(function (lamp) {
      if (Number(lamp.dataset.post) <= shown) { still(lamp); return; }
      lamp.setAttribute("data-new", "");
      lamp.setAttribute("data-order", (order[lamp.dataset.throw] || []).shift() || fallen || 1);
    });
    return Object.keys(throws).length;
  }

  // Runs once for each new section: one response swaps several parts.
  function show() {
    var said = [];
    var fresh = document.querySelectorAll("[data-rolled]:not([data-shown])");
    if (fresh.length) told = null;
    fresh.forEach(function (section) {
      var shown = shownOf(section.dataset.rolled);
      if (Number(section.dataset.version) > shown && section.closest("#panel") && !section.closest(".tray")) told = told || section;
      var throws = shown ? mark(section, shown) : new Set(Array.from(
        section.querySelectorAll(".die-rolled[data-new]"), function (die) { return die.dataset.throw; })).size;
      if (throws) said.push(section.dataset.said);
      bringIntoSight(section);
      var skip = section.querySelector(".skip-dice");
      if (skip) skip.hidden = throws < 2 || !moving(section);
    });
    fresh.forEach(function (section) {
      section.setAttribute("data-shown", "");
      keep(section.dataset.rolled, section.dataset.version);
    });
    if (said.length && heard) window.setTimeout(function () { heard.textContent = said.join(" "); }, 200);
  }

  // A tray scrolls to its newest dice.
  function bringIntoSight(section) {
    var die = section.querySelector(".die-rolled[data-new]") || section.querySelector("[aria-current='step']");
    var row = die && die.closest(".plan");
    if (row && row.scrollWidth > row.clientWidth) {
      row.scrollLeft = die.closest("li").offsetLeft - row.clientWidth / 2;
    }
  }

  // The page does not scroll. Dice that fall out of sight are also shown at the lower edge, until the next press or
  // until the reader scrolls to them.
  function pin(section) {
    unpin();
    var box = section.getBoundingClientRect(), map = document.querySelector(".stage-map"), tray = document.querySelector("#panel .tray");
    var above = map && window.matchMedia("(max-width: 61.99rem)").matches ? map.getBoundingClientRect().bottom : 0;
    var below = window.innerHeight - (tray ? tray.getBoundingClientRect().height : 0);
    if (box.top >= above - 1 && box.top + Math.min(box.height, 120) <= below) return;
    var pinned = document.createElement("div"), copy = section.cloneNode(true);
    copy.removeAttribute("data-rolled");
    copy.querySelectorAll(".skip-dice").forEach(function (button) { button.remove(); });
    [copy].concat(Array.from(copy.querySelectorAll("[id]"))).forEach(function (part) { part.removeAttribute("id"); });
    copy.removeAttribute("aria-labelledby");
    pinned.className = "pinned";
    pinned.setAttribute("aria-hidden", "true");
    pinned.inert = true;
    pinned.style.bottom = window.innerHeight - below + "px";
    pinned.append(copy);
    section.closest("#panel").append(pinned);
  }

  function unpin() {
    document.querySelectorAll(".pinned").forEach(function (pinned) { pinned.remove(); });
  }

  function moving(root) {
    return !!root.getAnimations && root.getAnimations({ subtree: true }).some(function (motion) {
      return motion.playState === "running";
    });
  }

  // All dice have landed.
  function skip() {
    document.querySelectorAll("[data-rolled] [data-new]").forEach(still);
    document.querySelectorAll(".skip-dice").forEach(function (button) { button.hidden = true; });
  }

  // How long the new dice take to settle, in milliseconds, before the cars drive (drive.js).
  var FALL = 900, APART = { flat: 70, one: 550 };
  document.addEventListener("drive:begin", function (event) {
    var told = event.detail;
    document.querySelectorAll("#run .rolled:has([data-new])").forEach(function (section) {
      var box = section.getBoundingClientRect();
      if (told.news && (box.bottom < 0 || box.top > window.innerHeight)) return; // nobody waits for what nobody sees
      var last = Math.max.apply(null, [].map.call(section.querySelectorAll(".die-rolled[data-new]"), function (die) {
        return Number(die.dataset.order) || 1;
      }).concat(1));
      var step = Math.min(APART[section.dataset.way], (told.longest - FALL) / Math.max(1, last - 1));
      section.style.setProperty("--step", step / 1000 + "s");
      told.settled = Math.max(told.settled, FALL + (last - 1) * step);
      told.lost = told.lost || "lost" in section.dataset;
    });
  });
  document.addEventListener("drive:skipped", skip);

  document.addEventListener("DOMContentLoaded", function () {
    heard = document.createElement("p");
    heard.className = "visually-hidden";
    heard.id = "heard";
    heard.setAttribute("aria-live", "polite");
    document.body.append(heard);
    show();
  });
  document.addEventListener("htmx:afterSwap", show);
  document.addEventListener("htmx:historyRestore", function () {
    document.querySelectorAll("[data-shown]").forEach(function (section) { section.removeAttribute("data-shown"); });
    show();
  });
  document.addEventListener("htmx:afterSettle", function (event) {
    var asked = event.detail.requestConfig;
    if (!asked || asked.verb !== "post") return;
    if (told && told.isConnected && !document.querySelector("#panel .control-lost")) pin(told); // that notice is in sight
  });
  document.addEventListener("pointerdown", function () { skip(); unpin(); });
  document.addEventListener("scroll", unpin, { passive: true });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { skip(); unpin(); } });
  document.addEventListener("click", function (event) { if (event.target.closest(".skip-dice")) skip(); });
  document.addEventListener("animationend", function (event) {
    var section = event.target.closest && event.target.closest("[data-rolled]");
    if (section && !moving(section)) section.querySelectorAll(".skip-dice").forEach(function (b) { b.hidden = true; });
  });
})();
