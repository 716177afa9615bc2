// A closer look at a stage map. Without script the whole stage is shown and the page's own zoom serves.
(function () {
  "use strict";

  var MOST = 3;
  var kept = {}; // the closeness of each map outlives a swap of the page's fragment
  var words = document.body.dataset;

  function name(map) {
    var picture = map.querySelector("svg");
    return (picture && picture.id) || "map";
  }

  // Keep in the middle what was there; at the first step closer, go to what matters on the map.
  function look(map, closeness) {
    var x = (map.scrollLeft + map.clientWidth / 2) / map.scrollWidth;
    var y = (map.scrollTop + map.clientHeight / 2) / map.scrollHeight;
    var whole = !map.dataset.zoom;
    if (closeness > 1) map.dataset.zoom = closeness;
    else delete map.dataset.zoom;
    kept[name(map)] = closeness;
    var place = whole && map.querySelector("[data-look], .target, .path, .car.mine");
    if (place) {
      var box = place.getBoundingClientRect();
      var frame = map.getBoundingClientRect();
      map.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
      map.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
    } else {
      map.scrollLeft = x * map.scrollWidth - map.clientWidth / 2;
      map.scrollTop = y * map.scrollHeight - map.clientHeight / 2;
    }
  }

  function button(sign, label, way) {
    var made = document.createElement("button");
    made.className = way;
    made.type = "button";
    made.textContent = sign;
    made.setAttribute("aria-label", label);
    return made;
  }

  function step(frame, by) {
    var map = frame.querySelector(".map");
    var now = Number(map.dataset.zoom || 1);
    var next = Math.min(MOST, Math.max(1, now + by));
    if (next !== now) look(map, next);
    frame.querySelector(".out").disabled = next === 1;
    frame.querySelector(".in").disabled = next === MOST;
  }

  function enframe(map) {
    var frame = document.createElement("div");
    var bar = document.createElement("div");
    frame.className = "map-frame";
    bar.className = "map-zoom";
    bar.append(button("−", words.zoomOut, "out"), button("+", words.zoomIn, "in"));
    map.before(frame);
    frame.append(map, bar);
    bar.addEventListener("click", function (event) {
      if (event.target.matches("button")) step(frame, event.target.className === "in" ? 1 : -1);
    });
    return frame;
  }

  function equip(map) {
    if (map.classList.contains("small")) return;
    var frame = map.closest(".map-frame") || enframe(map);
    var closeness = kept[name(map)] || 1;
    if (closeness > 1 && !map.dataset.zoom) look(map, closeness);
    step(frame, 0);
  }

  function equipAll() { document.querySelectorAll("figure.map").forEach(equip); }
  document.addEventListener("DOMContentLoaded", equipAll);
  document.addEventListener("htmx:afterSettle", equipAll);
})();
