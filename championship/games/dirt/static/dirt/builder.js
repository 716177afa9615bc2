// The editor of stages: keys, dragging, and a preview of each tile where it would lie. Every action presses an element
// that also works without script. Only the server knows which tiles fit.
(function () {
  "use strict";

  var STILL = 9; // pixels a finger may move in a tap
  var NEAR = 1.15; // greatest distance of a drop from the middle of the open hexagon, relative to its size
  var byKey = null; // the request of a key: where the focus goes after the response
  var lift = null; // the tile in the hand

  function builder() { return document.getElementById("builder"); }
  function find(id) { return document.getElementById(id); }
  function offers() { return [].slice.call(document.querySelectorAll("#builder .offer")); }

  function equip() {
    var article = document.querySelector("#builder .builder");
    if (article) article.classList.add("live");
  }

  // A press may follow the last one before its response is settled, so each request stores its purpose.
  document.addEventListener("htmx:beforeRequest", function (event) {
    event.detail.requestConfig.focusAfter = byKey;
    byKey = null;
  });

  function focus(which) {
    var first = which && find(which);
    if (which === "offers") {
      first = document.querySelector("#builder .offer[aria-current]") || offers()[0] || document.querySelector("#builder .workbench .button");
    }
    if (first) first.focus();
  }

  // Screen readers announce the result of a swap from an element that is never swapped.
  function tell() {
    var news = find("news"), place = builder();
    if (news && place) news.textContent = place.dataset.said;
  }

  // htmx requests the links inside the map: the browser must not follow them too.
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest("#builder svg a");
    if (link && link.hasAttribute("hx-get")) event.preventDefault();
  }, true);

  // Show a preview of the tile under the mouse or in focus.
  function show(event) {
    var offer = event.target.closest && event.target.closest("#builder .offer");
    var ghost = document.querySelector("#builder .ghost");
    if (!ghost) return;
    if (offer) ghost.setAttribute("href", offer.querySelector("img").src);
    else if (!lift) ghost.removeAttribute("href");
  }
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);

  // Dragging -------------------------------------------------------------------------------------

  function target() {
    var open = document.querySelector("#builder [data-open]"), figure = document.querySelector("#builder figure.map");
    if (!open || !figure) return null;
    var ghost = open.querySelector(".ghost"), svg = figure.querySelector("svg"), frame = figure.getBoundingClientRect();
    var box = ["x", "y", "width", "height"].map(function (name) { return ghost[name].baseVal.value; });
    var middle = new DOMPoint(box[0] + box[2] / 2, box[1] + box[3] / 2).matrixTransform(svg.getScreenCTM());
    var size = box[2] * svg.getScreenCTM().a;
    return { open: open, x: middle.x, y: middle.y, reach: Math.max(size, 60) / 2 * NEAR, frame: frame };
  }

  function over(place, event) {
    return place && Math.hypot(event.clientX - place.x, event.clientY - place.y) < place.reach;
  }

  document.addEventListener("pointerdown", function (event) {
    var offer = event.target.closest("#builder .offer");
    if (!offer || event.button) return;
    lift = { offer: offer, x: event.clientX, y: event.clientY, id: event.pointerId, flying: null };
  });

  document.addEventListener("pointermove", function (event) {
    if (!lift || event.pointerId !== lift.id) return;
    if (!lift.flying) {
      if (Math.hypot(event.clientX - lift.x, event.clientY - lift.y) < STILL) return;
      lift.flying = lift.offer.querySelector("img").cloneNode();
      lift.flying.className = "flying";
      lift.flying.removeAttribute("loading");
      document.body.append(lift.flying);
      lift.offer.classList.add("lifted");
    }
    event.preventDefault();
    lift.flying.style.transform = "translate(" + (event.clientX - 64) + "px," + (event.clientY - 72) + "px)";
    var place = target();
    if (place) place.open.classList.toggle("over", over(place, event));
  }, { passive: false });

  function drop(event) {
    if (!lift || event.pointerId !== lift.id) return;
    var held = lift, place = target();
    lift = null;
    if (!held.flying) return;
    held.flying.remove();
    held.offer.classList.remove("lifted");
    if (place) place.open.classList.remove("over");
    if (event.type === "pointerup" && over(place, event)) held.offer.click();
    else swallow(held.offer);
  }
  document.addEventListener("pointerup", drop);
  document.addEventListener("pointercancel", drop);
  document.addEventListener("dragstart", function (event) {
    if (event.target.closest && event.target.closest("#builder .offer")) event.preventDefault();
  });

  // A tile that was dropped elsewhere returns to the hand: the click that may follow lays nothing.
  function swallow(offer) {
    function stop(event) { if (offer.contains(event.target)) { event.preventDefault(); event.stopPropagation(); } }
    document.addEventListener("click", stop, true);
    window.setTimeout(function () { document.removeEventListener("click", stop, true); }, 50);
  }

  // Keys -----------------------------------------------------------------------------------------

  var PRESSES = { t: "do-turn", Delete: "do-cut", Backspace: "do-back", Escape: "do-end", p: "do-previous", n: "do-next" };

  function press(id, focus) {
    var button = find(id);
    if (!button) return false;
    byKey = focus;
    button.click();
    return true;
  }

  // Move the focus to the next tile in that direction on the screen.
  function step(key) {
    var all = offers(), now = all.indexOf(document.activeElement);
    if (!all.length) return false;
    if (now < 0) { all[0].focus(); return true; }
    var row = all.filter(function (one) { return one.offsetTop === all[0].offsetTop; }).length;
    var next = now + { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row }[key];
    if (next >= 0 && next < all.length) all[next].focus();
    return true;
  }

  document.addEventListener("keydown", function (event) {
    if (!builder() || event.ctrlKey || event.altKey || event.metaKey) return;
    var at = event.target;
    if (at.matches("input:not([type='checkbox']), textarea, select")) return;
    var done = false, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^Arrow/.test(key)) done = !at.closest("figure.map") && step(key);
    else if (/^[1-6]$/.test(key)) {
      var way = document.querySelector("#builder [data-way='" + key + "']");
      if (way) { byKey = "offers"; way.click(); done = true; }
    } else if (key === "Enter" && at.matches(".offer")) byKey = "offers"; // the press itself continues
    else if (key === "?") {
      var keys = find("keys");
      keys.open = !keys.open;
      keys.querySelector("summary").focus();
      done = true;
    } else if (PRESSES[key]) done = press(PRESSES[key], key === "t" ? "do-turn" : "offers");
    if (done) event.preventDefault();
  });

  document.addEventListener("DOMContentLoaded", equip);
  document.addEventListener("htmx:afterSettle", function (event) {
    equip();
    tell();
    if (!document.querySelector("#builder [data-focus]")) focus(event.detail.requestConfig && event.detail.requestConfig.focusAfter);
  });
})();
