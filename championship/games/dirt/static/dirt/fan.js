// A fan shows the possible moves at a space of the map. The server writes a fan for each space into the template
// "fans"; this script only shows the right one at its space. A tap on a laid die asks for the choices in its place. A tap elsewhere or Escape closes it. After a key the focus
// returns to the space. A choice fires the event "fan:chosen" with the move; keys.js lays it.
(function () {
  "use strict";

  var GAP = 8; // CSS pixels between a space and its fan, and around the fan
  var open = null; // {space, fan}

  function one(selector) { return document.querySelector(selector); }
  function linkOf(space) { return one("#run svg a.target[data-space='" + space + "']"); }

  function close(back) {
    if (!open) return;
    var was = open, link = linkOf(was.space), inside = was.fan.contains(document.activeElement);
    open = null;
    was.fan.remove();
    if (link) link.setAttribute("aria-expanded", "false");
    if (link && (back || inside)) link.focus({ preventScroll: true });
  }

  // `shows`: the fan only opens; the one safe move is not laid.
  function unfold(link, byKey, shows) {
    var template = one("#fans"), space = link.dataset.space;
    var fan = template && template.content.querySelector(".fan[data-space='" + space + "']");
    if (!fan) return false;
    // One safe move leads there: the tap lays it. A certain loss of control is shown first.
    var only = fan.querySelectorAll("button").length === 1 && fan.querySelector("button:not(.danger)");
    if (only && !shows) { close(false); lay(link, only.dataset.move); return true; }
    if (open && open.space === space) return true;
    close(false);
    fan = document.importNode(fan, true);
    one(".stage-map").append(fan);
    open = { space: space, fan: fan };
    link.setAttribute("aria-expanded", "true");
    place(link, fan);
    (byKey ? fan.querySelector("button") : fan).focus({ preventScroll: true });
    return true;
  }

  function lay(link, move) {
    link.dispatchEvent(new CustomEvent("fan:chosen", { bubbles: true, detail: { move: move } }));
  }

  // The fan never covers its space: it is above if there is room, else below, where it may extend beyond the map.
  function place(link, fan) {
    var frame = one(".stage-map").getBoundingClientRect(), chip = (link.querySelector(".chip") || link).getBoundingClientRect();
    var tray = one("#panel .tray"), below = window.innerHeight - (tray && getComputedStyle(tray).position === "fixed" ? tray.offsetHeight : 0);
    var x = chip.left + chip.width / 2 - frame.left - fan.offsetWidth / 2;
    var top = chip.top - fan.offsetHeight - GAP, bottom = chip.bottom + GAP;
    var y = top >= Math.max(frame.top, 0) + GAP || bottom + fan.offsetHeight > below - GAP ? top : bottom;
    fan.classList.toggle("below", y === bottom);
    fan.style.left = Math.max(GAP, Math.min(x, frame.width - fan.offsetWidth - GAP)) + "px";
    fan.style.top = Math.max(GAP - Math.min(frame.top, 0), y - frame.top) + "px";
    fan.style.setProperty("--at", chip.left + chip.width / 2 - frame.left - parseFloat(fan.style.left) + "px");
  }

  // After a loss of control a tap on the map chooses where it happens. Where several gears are possible, it leads to
  // their buttons.
  function lose(link) {
    var buttons = document.querySelectorAll(".spots button[data-space='" + link.dataset.space + "']");
    if (buttons.length === 1) { buttons[0].form.requestSubmit(buttons[0]); return true; }
    if (buttons.length) { buttons[0].scrollIntoView({ block: "nearest", inline: "start" }); buttons[0].focus({ preventScroll: true }); }
    return buttons.length > 0;
  }

  document.addEventListener("fan:open", function (event) {
    if (lose(event.target)) { event.preventDefault(); return; }
    if (unfold(event.target, event.detail.byKey)) event.preventDefault();
  });

  // A laid die on the map does what its link in the plan does.
  document.addEventListener("click", function (event) {
    var die = event.target.closest && event.target.closest("#run svg a[data-change]");
    var laid = die && one("#panel .plan a[data-change='" + die.dataset.change + "']");
    if (!laid || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    laid.click();
  });

  // The choices in place of a laid die open at its space, once, when they arrive.
  document.addEventListener("htmx:afterSettle", function () {
    var change = one("#moves [name=change]"), link = change && linkOf(change.dataset.space);
    if (!link || change.dataset.opened) return;
    change.dataset.opened = "yes";
    unfold(link, !!document.activeElement.closest("#panel .plan"), true);
  });

  document.addEventListener("click", function (event) {
    if (!open || !event.target.closest) return;
    var button = event.target.closest(".fan button");
    if (button) {
      var link = linkOf(open.space), move = button.dataset.move;
      close(false);
      if (link) lay(link, move);
    } else if (!event.target.closest(".fan, a.target")) close(false);
  });

  // Runs before the keys of the page (run.js), which ignore handled events.
  document.addEventListener("keydown", function (event) {
    if (!open) return;
    if (event.key === "Escape") { close(true); event.preventDefault(); return; }
    var steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }, step = steps[event.key];
    if (!step || !open.fan.contains(event.target)) return;
    var buttons = Array.from(open.fan.querySelectorAll("button")), at = buttons.indexOf(document.activeElement);
    buttons[at < 0 ? 0 : (at + step + buttons.length) % buttons.length].focus({ preventScroll: true });
    event.preventDefault();
  }, true);

  // The fan closes when the focus leaves it or the map scrolls.
  document.addEventListener("focusout", function (event) {
    if (open && open.fan.contains(event.target) && event.relatedTarget && !open.fan.contains(event.relatedTarget)
      && event.relatedTarget !== linkOf(open.space)) close(false);
  });
  document.addEventListener("map:moved", function () { close(false); });
  window.addEventListener("resize", function () { close(false); });

  // When the page is updated while a fan is open, the fan of that space opens again, if the space may still be chosen.
  var again = null;
  document.addEventListener("htmx:beforeCleanupElement", function (event) {
    if (open && event.detail.elt.contains && event.detail.elt.contains(open.fan)) { again = open; open = null; }
  });
  document.addEventListener("htmx:afterSettle", function () {
    var link = again && linkOf(again.space);
    again = null;
    var fan = link && one("#fans").content.querySelector(".fan[data-space='" + link.dataset.space + "']");
    if (fan && fan.querySelectorAll("button").length > 1) unfold(link, false);
  });

  function name() {
    var template = one("#fans");
    if (!template) return;
    document.querySelectorAll("#run svg a.target").forEach(function (link) {
      if (template.content.querySelector(".fan[data-space='" + link.dataset.space + "']")) link.setAttribute("aria-expanded", "false");
    });
  }
  document.addEventListener("DOMContentLoaded", name);
  document.addEventListener("htmx:afterSwap", name);
})();
