// The cockpit: what it keeps when an answer replaces it, and its keys. Each key presses a button of the page, or moves
// the focus to a part of the page.
(function () {
  "use strict";

  var PARTS = { h: "#hand", o: "#now", b: "#piles" };

  function one(selector) { return document.querySelector(selector); }

  function press(button) {
    if (!button || button.disabled) return false;
    button.click();
    return true;
  }

  function go(part) {
    if (!part) return false;
    var target = part.querySelector("button") || part.parentElement.querySelector("button, a, summary") || part;
    target.focus({ preventScroll: true });
    part.scrollIntoView({ block: "nearest" });
    return true;
  }

  document.addEventListener("keydown", function (event) {
    if (!one("#lay") || event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    var key = event.key.length === 1 ? event.key.toLowerCase() : event.key, heard = false;
    if (/^[1-6]$/.test(key)) heard = press(one("#slot-" + key + " .use"));
    else if (key === "e") heard = go(one("#send"));
    else if (key === "Backspace") heard = press(one("#draft button"));
    else if (PARTS[key]) heard = go(one(PARTS[key]));
    if (heard) event.preventDefault();
  });

  // Each request names the parts that the page has. The answer leaves out those that are the same (dust_parts.py).
  document.addEventListener("htmx:configRequest", function (event) {
    if (!event.target.closest || !event.target.closest("#run") || !one("[data-part]")) return;
    event.detail.headers["Keeps-Parts"] = [].map.call(document.querySelectorAll("[data-part]"), function (part) {
      return part.id + "=" + part.dataset.part;
    }).join(" ");
  });

  // Strips that scroll sideways stay where the reader left them.
  var along = {};
  document.addEventListener("scroll", function (event) {
    if (event.target.matches && event.target.matches(".sideways[id]")) along[event.target.id] = event.target.scrollLeft;
  }, { capture: true, passive: true });
  var tab = ""; // the tab that the reader chose
  document.addEventListener("change", function (event) {
    if (event.target.matches && event.target.matches(".tabs input")) tab = event.target.id;
  });
  document.addEventListener("htmx:afterSwap", function () {
    var chosen = tab && document.getElementById(tab);
    if (chosen) chosen.checked = true;
    Object.keys(along).forEach(function (ident) {
      var strip = document.getElementById(ident);
      if (strip && strip.scrollLeft !== along[ident]) strip.scrollLeft = along[ident];
    });
  });

  // The cars drive along the position track to where they stand now (drive.js). Each track has its own places.
  var DRIVE = 700; // milliseconds
  var stood = {};
  function places() {
    var found = {};
    document.querySelectorAll("#run [data-road]").forEach(function (road) {
      var on = road.getBoundingClientRect(), where = road.closest("#panel") ? "panel " : "";
      road.querySelectorAll("[data-drives]").forEach(function (car) {
        var box = car.getBoundingClientRect();
        if (box.width) found[where + car.dataset.drives] = { car: car, x: box.x - on.x, y: box.y - on.y };
      });
    });
    return found;
  }
  ["htmx:beforeSwap", "service:news"].forEach(function (kind) {
    document.addEventListener(kind, function () { stood = places(); });
  });
  document.addEventListener("drive:begin", function (event) {
    var here = places(), told = event.detail;
    Object.keys(here).forEach(function (name) {
      var to = here[name], across = stood[name] ? stood[name].x - to.x : 0, down = stood[name] ? stood[name].y - to.y : 0;
      if (Math.hypot(across, down) < 2) return;
      told.takes = DRIVE;
      told.running.push(to.car.animate([{ transform: "translate(" + across + "px, " + down + "px)" }, { transform: "none" }],
        { duration: DRIVE, delay: told.settled, fill: "backwards", easing: "ease-in-out" }));
    });
  });
})();
