// Steps through a replay without leaving the page: the keys left and right, space to play, and the slider. Each moment
// has an address of its own; without scripts the steps are links.
(function () {
  "use strict";

  var PAUSE = 1600; // milliseconds between two events at the first speed
  var page, player, slider;
  var LONGEST = 15000; // milliseconds of a replay that a link starts
  var pause = PAUSE;
  var wanted = 0, busy = false, timer = 0, speed = 1, playing = false;

  function shown() { return Number(document.getElementById("moment").dataset.at); }
  function last() { return Number(page.dataset.last); }
  function address(at) { return page.dataset.address + "?" + (page.dataset.only ? "only=" + page.dataset.only + "&" : "") + "at=" + at; }

  function go(at) {
    wanted = Math.min(Math.max(at, 0), last());
    if (busy || wanted === shown()) return;
    busy = true;
    var asked = wanted;
    var focused = document.activeElement && document.activeElement.id;
    window.htmx.ajax("GET", address(asked), { target: "#moment", select: "#moment", swap: "outerHTML show:none" })
      .then(function () { arrived(asked, focused); }, failed);
  }

  function arrived(asked, focused) {
    busy = false;
    if (shown() !== asked) return failed(); // the answer did not contain the moment: stay at the old one
    window.history.replaceState(null, "", address(asked));
    slider.value = asked;
    mark(asked);
    if (focused && document.activeElement === document.body) {
      var same = document.getElementById(focused);
      if (same) same.focus({ preventScroll: true });
    }
    var now = document.querySelector("#moment [aria-current='step'] a");
    document.getElementById("said").textContent = now ? now.textContent : "";
    if (wanted !== asked) go(wanted);
    else if (playing) next();
  }

  function failed() {
    busy = false;
    wanted = shown();
    play(false);
  }

  // Marks the turn that contains the moment on the time line, and scrolls the time line to it.
  function mark(at) {
    var turns = page.querySelectorAll(".timeline a");
    var found = null;
    turns.forEach(function (turn) {
      turn.removeAttribute("aria-current");
      if (Number(turn.dataset.at) <= at) found = turn;
    });
    if (!found) return;
    found.setAttribute("aria-current", "step");
    var box = page.querySelector(".timeline");
    var here = found.getBoundingClientRect(), frame = box.getBoundingClientRect();
    if (here.left < frame.left || here.right > frame.right) box.scrollLeft += here.left - frame.left - frame.width / 3;
  }

  function next() {
    window.clearTimeout(timer);
    if (shown() >= last()) return play(false);
    timer = window.setTimeout(function () { if (playing) go(shown() + 1); }, pause / speed);
  }

  function play(on) {
    playing = on;
    window.clearTimeout(timer);
    var button = player.querySelector(".play");
    button.setAttribute("aria-pressed", on ? "true" : "false");
    button.querySelector(".words").textContent = on ? button.dataset.pause : button.dataset.play;
    if (!on) return;
    document.dispatchEvent(new CustomEvent("replay:play"));
    if (shown() >= last()) go(0);
    else go(shown() + 1);
    if (!busy) next();
  }

  function typing(target) { return target.closest("input, select, textarea, .map, .map-frame, [contenteditable]"); }

  // Each key presses the button of that name.
  function follow(event, name) {
    var link = document.getElementById(name);
    event.preventDefault();
    play(false);
    if (link && link.dataset.at) go(Number(link.dataset.at));
  }

  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || typing(event.target)) return;
    var far = { ArrowRight: "go-next-turn", ArrowLeft: "go-previous-turn" }[event.key];
    if (event.shiftKey) {
      if (far) follow(event, far);
    } else if (event.key === "Home" || event.key === "End") {
      follow(event, event.key === "Home" ? "go-first" : "go-last");
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      play(false);
      go((busy ? wanted : shown()) + (event.key === "ArrowRight" ? 1 : -1));
    } else if (event.key === " " && !event.target.closest("button, summary")) {
      event.preventDefault();
      play(!playing);
    }
  }

  function clicks(event) {
    var link = event.target.closest && event.target.closest("#replay a[data-at]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    play(false);
    go(Number(link.dataset.at));
  }

  function ready() {
    page = document.getElementById("replay");
    if (!page || !window.htmx) return;
    player = page.querySelector(".player");
    slider = page.querySelector(".scrub input");
    player.hidden = false;
    page.querySelector(".scrub button").hidden = true;
    mark(shown());
    if (page.dataset.starts) {
      pause = Math.max(250, Math.min(PAUSE, LONGEST / Math.max(1, last() - shown())));
      play(true);
    }
    document.addEventListener("keydown", keys);
    document.addEventListener("click", clicks);
    slider.addEventListener("input", function () { play(false); go(Number(slider.value)); });
    player.querySelector(".play").addEventListener("click", function () { play(!playing); });
    player.addEventListener("change", function (event) {
      if (event.target.name === "speed") speed = Number(event.target.value);
    });
    document.addEventListener("visibilitychange", function () { if (document.hidden) play(false); });
  }
  document.addEventListener("DOMContentLoaded", ready);
})();
