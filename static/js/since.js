// When a driver comes back to a stage, what the others did meanwhile plays on the map by itself: once, at most 15 seconds,
// and a tap or a key ends it. A browser remembers up to which event it has shown a run, so nothing plays twice, and a
// run that it has never opened does not play. Without motion, script or storage the words and the link to the replay
// tell the same.
(function () {
  "use strict";

  var LONGEST = 15000, SLOW = 900, FAST = 350, DRIVE = 300; // milliseconds: in all, of a moment, and of a car's way
  var MOST = 16; // moments that are shown; of more events, some are left out
  var REMEMBERED = 60; // runs
  var NAME = "since";
  var film = null; // what plays: {map, card, kept, view, bar, timer, end}

  function one(selector) { return document.querySelector(selector); }
  function here() { return window.location.pathname.replace(/^(\/runs\/[^/]+\/).*/, "$1"); }

  // Returns the number of the newest event that this browser has shown of the run; null where it has never opened it.
  function seen() {
    try {
      var runs = JSON.parse(window.localStorage.getItem(NAME) || "{}");
      return here() in runs ? Number(runs[here()]) : null;
    } catch (refused) { return null; }
  }

  // Remembers it. Returns false where the browser does not keep it.
  function remember(last) {
    try {
      var runs = JSON.parse(window.localStorage.getItem(NAME) || "{}"), before = Number(runs[here()]) || 0;
      delete runs[here()]; // the newest is the last
      runs[here()] = Math.max(before, last || 0);
      Object.keys(runs).slice(0, -REMEMBERED).forEach(function (old) { delete runs[old]; });
      window.localStorage.setItem(NAME, JSON.stringify(runs));
      return true;
    } catch (refused) { return false; }
  }

  function moments(from, to) {
    var step = Math.max(1, (to - from) / MOST), found = [];
    for (var at = from + step; at < to - 0.5; at += step) found.push(Math.round(at));
    return found.concat(to);
  }

  function fetchMoment(at) {
    return fetch(film.address + "?at=" + at, { headers: { "HX-Request": "true" }, credentials: "same-origin" })
      .then(function (answer) {
        if (!answer.ok) throw answer;
        return answer.text();
      })
      .then(function (text) { return new DOMParser().parseFromString(text, "text/html"); });
  }

  function places(overlay) {
    var found = {};
    overlay.querySelectorAll(".car").forEach(function (car) {
      var place = car.transform.baseVal;
      var number = car.querySelector("text");
      if (place.numberOfItems && number) found[number.textContent] = { car: car, x: place.getItem(0).matrix.e, y: place.getItem(0).matrix.f };
    });
    return found;
  }

  // The replay's map names its drawings after itself: those of this map stand for them.
  function renamed(overlay, now) {
    var other = "#" + overlay.id.replace(/overlay$/, ""), own = "#" + now.id.replace(/overlay$/, "");
    overlay.querySelectorAll("[href^='" + other + "'], [fill*='" + other + "']").forEach(function (part) {
      ["href", "fill"].forEach(function (name) {
        if (part.hasAttribute(name)) part.setAttribute(name, part.getAttribute(name).replace(other, own));
      });
    });
    overlay.id = now.id;
    return overlay;
  }

  // Moves the camera to the cars that drive. From far away it comes nearer.
  function follow(view, place) {
    if (view.scale < view.scaleFor(place) * 0.7) view.lookAt(place);
    else view.reveal(place);
  }

  // Shows a moment: the cars drive from where they stood, and the map follows the one that moves.
  function show(page) {
    var fresh = page.querySelector("svg.overlay"), told = page.querySelector(".told-now"), now = film.map.querySelector("svg.overlay");
    if (!fresh || !now) return end();
    var from = places(now), overlay = renamed(document.importNode(fresh, true), now);
    now.replaceWith(overlay);
    var to = places(overlay), moved = [];
    Object.keys(to).forEach(function (colour) {
      var before = from[colour], after = to[colour];
      if (!before || (before.x === after.x && before.y === after.y)) return;
      moved.push(after.car);
      after.car.animate([
        { transform: "translate(" + before.x + "px, " + before.y + "px)" },
        { transform: "translate(" + after.x + "px, " + after.y + "px)" },
      ], { duration: DRIVE, easing: "ease-in-out" });
    });
    if (moved.length && film.map.view) follow(film.map.view, film.map.view.around(moved));
    if (told) film.bar.querySelector("p").textContent = told.textContent;
  }

  function step(left, ahead) {
    if (!film) return;
    var mine = film;
    ahead.then(function (page) {
      if (film !== mine) return;
      show(page);
      if (!left.length) { film.timer = window.setTimeout(end, SLOW); return; }
      var next = fetchMoment(left[0]);
      next.catch(function () {});
      film.timer = window.setTimeout(function () { step(left.slice(1), next); }, film.pause);
    }).catch(function () { if (film === mine) end(); });
  }

  function play(card, from, to) {
    var map = one("#run figure.map.full"), overlay = map && map.querySelector("svg.overlay"), bar = one("#since-film");
    if (!overlay || !bar) return;
    var list = moments(from, to);
    card.classList.add("plays");
    film = {
      map: map, card: card, kept: overlay, address: card.dataset.replay, bar: document.importNode(bar.content, true).firstElementChild,
      view: map.view && { x: map.view.x, y: map.view.y, scale: map.view.scale },
      pause: Math.max(FAST, Math.min(SLOW, LONGEST * 0.8 / list.length)),
    };
    film.end = window.setTimeout(end, LONGEST);
    one(".stage-map").append(film.bar);
    map.classList.add("film");
    step(list.slice(1), fetchMoment(list[0]));
  }

  // Puts the map back as it was, with all that can be chosen there.
  function end() {
    if (!film) return;
    var was = film, shown = was.map.querySelector("svg.overlay");
    film = null;
    window.clearTimeout(was.timer);
    window.clearTimeout(was.end);
    was.bar.remove();
    was.map.classList.remove("film");
    was.card.classList.remove("plays");
    if (shown && shown !== was.kept) shown.replaceWith(was.kept);
    if (was.view) was.map.view.look(was.view.x, was.view.y, was.view.scale);
  }

  document.addEventListener("pointerdown", function (event) {
    if (!film) return;
    var onMap = event.target.closest && event.target.closest(".stage-map");
    end();
    if (!onMap) return;
    // The tap that ends it chooses nothing on the map that comes back.
    var swallow = function (click) { click.preventDefault(); click.stopPropagation(); };
    document.addEventListener("click", swallow, { capture: true, once: true });
    window.setTimeout(function () { document.removeEventListener("click", swallow, true); }, 500);
  }, true);
  document.addEventListener("keydown", function (event) {
    if (!film || event.key === "Tab" || event.key === "Shift") return;
    end();
    if (event.key === "Escape") event.preventDefault();
  }, true);
  document.addEventListener("click", function (event) {
    if (film && event.target.closest && event.target.closest(".film-bar button")) end();
  });
  document.addEventListener("visibilitychange", function () { if (document.hidden) end(); });
  document.addEventListener("htmx:beforeSwap", function () { end(); });

  // What comes while the page is open is seen as it comes.
  document.addEventListener("htmx:afterSwap", function () {
    var card = one("#run .since");
    if (card && !document.hidden) remember(Number(card.dataset.last));
  });

  document.addEventListener("DOMContentLoaded", function () {
    if (!one("#run")) return;
    var card = one("#run .since"), to = card ? Number(card.dataset.last) : 0, before = seen();
    var copy = one("#seen"), slow = navigator.connection && navigator.connection.saveData;
    if (!remember(to) || !card || before === null || document.hidden || slow) return;
    if ((copy && !copy.hidden) || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    var from = Math.max(before, Number(card.dataset.after));
    if (to > from) window.setTimeout(function () { play(card, from, to); }); // behind the scripts that set up the map
  });
})();
