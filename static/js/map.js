// Zooms and moves a stage map: drag, pinch, wheel, double tap, buttons and keys. Without scripts the whole stage is
// shown, and the browser's zoom works. A tap on a point dispatches the event "map:look", which run.js handles.
(function () {
  "use strict";

  var CLOSEST = 3.4; // pixels for one unit of the drawing, which is a hundredth of a hexagon's side
  var COMFORT = 2.1; // at this scale a space is wide enough for a thumb
  var AHEAD = 1.35; // the same on a narrow map: it shows more of the road, since a tap fans out the choices
  var NARROW = 640; // pixels
  var FINGER = 1.2; // below this scale a space is too small to tap
  var TELLING = 0.06; // the drawing hears of a new scale from this difference on, so that a pinch stays fast
  var ROOM = 30; // units around the important parts
  var EDGE = 24; // pixels around a part that is moved into view
  var STEP = 1.45; // zoom factor of a button or a key
  var STILL = 7; // pixels that a finger may move during a tap
  var LONG = 520; // milliseconds of a long press
  var TWICE = 240; // milliseconds in which a second tap makes it a double tap
  var kept = {}; // the last view by page and map; survives a swap of the page's fragment
  var words = document.body.dataset;

  function View(figure) {
    this.figure = figure;
    this.svg = figure.querySelector("svg");
    this.box = this.svg.viewBox.baseVal;
    this.name = window.location.pathname + " " + this.svg.id;
    this.full = figure.classList.contains("full");
    this.fingers = new Map();
    figure.classList.add("live");
    this.measure();
  }

  View.prototype.measure = function () {
    this.wide = this.svg.clientWidth || this.figure.clientWidth;
    this.high = this.svg.clientHeight || this.figure.clientHeight;
    this.fit = Math.min(this.wide / this.box.width, this.high / this.box.height) || 1;
    this.left = (this.wide - this.box.width * this.fit) / 2;
    this.top = (this.high - this.box.height * this.fit) / 2;
  };

  View.prototype.whole = function () {
    this.look(this.box.x + this.box.width / 2, this.box.y + this.box.height / 2, 0);
  };

  // Centres a point of the drawing. scale: pixels for one unit, limited to the range from the whole drawing to CLOSEST.
  View.prototype.look = function (x, y, scale) {
    this.scale = Math.min(Math.max(scale, this.fit), Math.max(CLOSEST, this.fit));
    this.x = within(x, this.box.x, this.box.width, this.wide / this.scale);
    this.y = within(y, this.box.y, this.box.height, this.high / this.scale);
    var k = this.scale / this.fit;
    var across = this.wide / 2 - k * (this.left + (this.x - this.box.x) * this.fit);
    var down = this.high / 2 - k * (this.top + (this.y - this.box.y) * this.fit);
    this.svg.style.transform = "translate(" + across.toFixed(1) + "px," + down.toFixed(1) + "px) scale(" + k.toFixed(4) + ")";
    if (!(Math.abs(this.told / this.scale - 1) < TELLING)) { // labels that keep their size on the screen read it
      this.told = this.scale;
      this.svg.style.setProperty("--scale", this.scale.toFixed(3));
    }
    var near = this.scale > this.fit * 1.001;
    this.figure.classList.toggle("near", near);
    if (this.buttons) {
      this.buttons.out.disabled = !near;
      this.buttons.in.disabled = this.scale >= CLOSEST - 0.001;
      if (this.buttons.whole) this.buttons.whole.disabled = !near;
    }
  };

  // Keeps the middle of the view on the drawing. When all of the drawing fits, it stays in the middle.
  function within(value, begin, length, seen) {
    if (seen >= length) return begin + length / 2;
    var slack = seen * 0.3;
    return Math.min(Math.max(value, begin + seen / 2 - slack), begin + length - seen / 2 + slack);
  }

  View.prototype.keep = function () {
    this.figure.dispatchEvent(new CustomEvent("map:moved", { bubbles: true }));
    kept[this.name] = { x: this.x, y: this.y, scale: this.scale > this.fit * 1.001 ? this.scale : 0 };
  };

  View.prototype.point = function (clientX, clientY) {
    var frame = this.figure.getBoundingClientRect();
    return {
      x: this.x + (clientX - frame.left - this.figure.clientLeft - this.wide / 2) / this.scale,
      y: this.y + (clientY - frame.top - this.figure.clientTop - this.high / 2) / this.scale,
    };
  };

  View.prototype.zoom = function (by, clientX, clientY) {
    var at = clientX === undefined ? { x: this.x, y: this.y } : this.point(clientX, clientY);
    var scale = Math.min(Math.max(this.scale * by, this.fit), Math.max(CLOSEST, this.fit));
    var part = this.scale / scale;
    this.look(at.x + (this.x - at.x) * part, at.y + (this.y - at.y) * part, scale);
    this.keep();
  };

  View.prototype.move = function (across, down) {
    this.look(this.x - across / this.scale, this.y - down / this.scale, this.scale);
    this.keep();
  };

  View.prototype.parts = function (which) { return [].slice.call(this.svg.querySelectorAll(which)); };

  // The box around the important parts: the targets, the plan, the driver's own car, and what a game marks as "in-view".
  // If these are too far apart for a finger, only the targets and the plan's end; without targets, only what a game
  // marks as "closer" because it has to be read, and the own car. If there are none, the car whose turn it is.
  View.prototype.matters = function () {
    var all = this.around(this.parts(".target, .laid, .in-view, .car.mine"));
    var targets = this.parts(".target"), end = this.parts(".laid .step").slice(-1);
    if (targets.length && end.length && this.scaleFor(all) < FINGER) return this.around(targets.concat(end));
    var closer = this.parts(".closer");
    if (!targets.length && closer.length && this.scaleFor(all) < FINGER) return this.around(closer.concat(this.parts(".car.mine")));
    return all || this.around(this.parts(".car.plays"));
  };

  // How far the plate with the name and the buttons cover the map, in pixels from each edge.
  View.prototype.covered = function () {
    var frame = this.figure.getBoundingClientRect(), over = { top: 0, right: 0, bottom: 0, left: 0 };
    if (!this.full) return over;
    [].forEach.call(this.figure.parentElement.children, function (part) {
      if (!part.matches(".stagehead, .map-zoom") || getComputedStyle(part).position !== "absolute") return;
      var box = part.getBoundingClientRect(), asks = part.querySelector(".asks"); // what a lesson asks for may lie over the map
      if (box.height > box.width) over.right = Math.max(over.right, frame.right - box.left);
      else over.top = Math.max(over.top, (asks && asks.offsetHeight ? asks.getBoundingClientRect().top : box.bottom) - frame.top);
    });
    return over;
  };

  // The part of the map that is not covered: its width and height, and the offset of its middle from the map's middle.
  View.prototype.free = function () {
    var over = this.covered();
    return {
      wide: Math.max(this.wide - over.left - over.right, this.wide / 2), across: (over.left - over.right) / 2,
      high: Math.max(this.high - over.top - over.bottom, this.high / 2), down: (over.top - over.bottom) / 2,
    };
  };

  View.prototype.scaleFor = function (place) {
    var free = this.free();
    return Math.min(this.wide < NARROW ? AHEAD : COMFORT, free.wide / (place.width + 2 * ROOM), free.high / (place.height + 2 * ROOM));
  };

  // The box of the drawing that contains these parts; null if there are none.
  View.prototype.around = function (found) {
    var left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    found.forEach(function (part) {
      var box = part.getBBox();
      var move = part.transform.baseVal.numberOfItems ? part.transform.baseVal.getItem(0).matrix : { e: 0, f: 0 };
      left = Math.min(left, box.x + move.e);
      top = Math.min(top, box.y + move.f);
      right = Math.max(right, box.x + box.width + move.e);
      bottom = Math.max(bottom, box.y + box.height + move.f);
    });
    return found.length ? { x: left, y: top, width: right - left, height: bottom - top } : null;
  };

  View.prototype.lookAt = function (place) {
    var free = this.free(), scale = Math.max(this.scaleFor(place), this.fit);
    this.look(place.x + place.width / 2 - free.across / scale, place.y + place.height / 2 - free.down / scale, scale);
  };

  // Moves the map as little as needed to show the place where nothing covers it.
  View.prototype.reveal = function (place) {
    var free = this.free(), edge = EDGE / this.scale;
    var across = free.wide / this.scale / 2, down = free.high / this.scale / 2;
    if (place.width + 2 * edge > 2 * across || place.height + 2 * edge > 2 * down) { this.lookAt(place); return; }
    var midX = this.x + free.across / this.scale, midY = this.y + free.down / this.scale;
    var x = Math.min(Math.max(midX, place.x + place.width + edge - across), place.x - edge + across);
    var y = Math.min(Math.max(midY, place.y + place.height + edge - down), place.y - edge + down);
    if (x !== midX || y !== midY) this.look(this.x + x - midX, this.y + y - midY, this.scale);
  };

  // The camera follows the driver's own car, or on other pages the car whose turn is shown. It keeps the current zoom;
  // from the whole stage it zooms in far enough to read.
  View.prototype.follow = function (on) {
    this.following = on;
    this.figure.classList.toggle("following", on);
    this.buttons.follow.setAttribute("aria-pressed", String(on));
    if (on) this.goAlong();
  };

  View.prototype.goAlong = function () {
    var place = this.following && (this.around(this.parts(".car.mine")) || this.around(this.parts(".car.plays")));
    if (!place) return;
    if (this.scale > this.fit * 1.001) this.reveal(place);
    else this.lookAt(place);
    this.keep();
  };

  View.prototype.begin = function () {
    var before = kept[this.name], place = this.full && this.matters();
    if (before) {
      this.look(before.x, before.y, before.scale || this.fit);
      if (place && before.scale) this.reveal(place);
    } else if (place) this.lookAt(place);
    else this.whole();
  };

  // Fingers, mouse, wheel ------------------------------------------------------------------------

  View.prototype.press = function (event) {
    if (event.pointerType === "mouse" && event.button) return;
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.travelled = this.fingers.size > 1 ? Infinity : 0;
    window.clearTimeout(this.timer);
    if (this.fingers.size > 1 || !this.full || event.pointerType === "mouse") return;
    var view = this, x = event.clientX, y = event.clientY;
    this.timer = window.setTimeout(function () {
      if (view.fingers.size !== 1 || view.travelled > STILL) return;
      view.travelled = Infinity; // ignore the click that follows
      view.tell(x, y, true);
    }, LONG);
  };

  View.prototype.drag = function (event) {
    var finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    var before = this.span();
    var across = event.clientX - finger.x, down = event.clientY - finger.y;
    if (this.fingers.size === 1) {
      if (this.travelled <= STILL) {
        if (Math.hypot(across, down) <= STILL) return;
        this.travelled = Infinity;
        window.clearTimeout(this.timer);
        this.figure.classList.add("moving");
        this.figure.setPointerCapture(event.pointerId);
      }
      if (!this.figure.classList.contains("near")) return; // the whole stage does not move, so the page may scroll
      finger.x = event.clientX;
      finger.y = event.clientY;
      this.move(across, down);
      return;
    }
    finger.x = event.clientX;
    finger.y = event.clientY;
    var after = this.span();
    this.figure.classList.add("moving");
    this.move(after.x - before.x, after.y - before.y);
    if (before.reach > 0) this.zoom(after.reach / before.reach, after.x, after.y);
  };

  View.prototype.span = function () {
    var held = Array.from(this.fingers.values()).slice(0, 2);
    var one = held[0], two = held[1] || held[0];
    return { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2, reach: Math.hypot(one.x - two.x, one.y - two.y) };
  };

  View.prototype.lift = function (event) {
    this.fingers.delete(event.pointerId);
    window.clearTimeout(this.timer);
    if (!this.fingers.size) this.figure.classList.remove("moving");
  };

  View.prototype.click = function (event) {
    if (this.travelled > STILL && event.detail) { // the end of a drag, a pinch or a long press
      event.preventDefault();
      event.stopPropagation();
      this.travelled = 0;
      return;
    }
    var link = event.target.closest("a");
    if (link && !(this.looking && link.matches(".target"))) return;
    if (!this.full) return;
    event.preventDefault();
    event.stopPropagation();
    var view = this, x = event.clientX, y = event.clientY;
    window.clearTimeout(this.asking);
    if (event.detail > 1) return; // a double tap zooms
    this.asking = window.setTimeout(function () { view.tell(x, y); }, TWICE);
  };

  // `held`: by a long press, which always shows what is there. A game's script may act on a tap in another way.
  View.prototype.tell = function (clientX, clientY, held) {
    var point = this.point(clientX, clientY);
    point.held = Boolean(held);
    this.figure.dispatchEvent(new CustomEvent("map:look", { bubbles: true, detail: point }));
  };

  View.prototype.roll = function (event) {
    if (!this.full && !event.ctrlKey && !this.figure.classList.contains("near")) return;
    event.preventDefault();
    var lines = event.deltaMode === 1 ? 16 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.012 : 0.0022)), event.clientX, event.clientY);
  };

  // Whether moves are offered: then arrow keys go from space to space (a game's script).
  function laying() {
    return [].some.call(document.querySelectorAll("#panel [name=move]"), function (move) { return move.getClientRects().length; });
  }

  View.prototype.key = function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    var ways = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    var way = ways[event.key];
    if (way && (event.shiftKey || !laying())) {
      this.move(way[0] * this.wide / 6, way[1] * this.high / 6);
    } else if (event.key === "+" || event.key === "=") this.zoom(STEP);
    else if (event.key === "-") this.zoom(1 / STEP);
    else if (event.key === "0") { this.whole(); this.keep(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // Buttons --------------------------------------------------------------------------------------

  View.prototype.bar = function () {
    var view = this, data = this.figure.dataset, bar = document.createElement("div");
    bar.className = "map-zoom";
    function button(way, label, press, toggles) {
      if (!label) return null;
      var made = document.createElement("button");
      made.type = "button";
      made.className = way;
      made.setAttribute("aria-label", label);
      made.title = label;
      if (toggles) made.setAttribute("aria-pressed", "false");
      made.append(window.mapSign(way));
      made.addEventListener("click", press);
      bar.append(made);
      return made;
    }
    this.buttons = {
      in: button("in", words.zoomIn, function () { view.zoom(STEP); }),
      out: button("out", words.zoomOut, function () { view.zoom(1 / STEP); }),
      whole: button("whole", data.whole, function () { view.whole(); view.keep(); }),
      mine: this.matters() && button("mine", data.mine, function () { view.lookAt(view.matters()); view.keep(); }),
      look: this.svg.querySelector(".target") && button("look", data.look, function () {
        view.looking = !view.looking;
        view.buttons.look.setAttribute("aria-pressed", String(view.looking));
        view.figure.classList.toggle("looking", view.looking);
      }, true),
      follow: button("follow", data.follow, function () { view.chosen = true; view.follow(!view.following); }, true),
    };
    if (!this.full && !this.figure.closest(".map-frame")) {
      var frame = document.createElement("div");
      frame.className = "map-frame";
      this.figure.before(frame);
      frame.append(this.figure);
    }
    this.figure.after(bar);
  };

  function equip(figure) {
    if (figure.classList.contains("small") || figure.view || !figure.querySelector("svg:not(.small)")) return;
    var view = figure.view = new View(figure);
    view.bar();
    view.measure(); // the bar of buttons takes its part on a phone
    view.begin();
    figure.addEventListener("pointerdown", view.press.bind(view));
    figure.addEventListener("pointermove", view.drag.bind(view));
    ["pointerup", "pointercancel", "lostpointercapture"].forEach(function (end) {
      figure.addEventListener(end, view.lift.bind(view));
    });
    figure.addEventListener("click", view.click.bind(view), true);
    figure.addEventListener("dblclick", function (event) {
      if (!event.target.closest("a")) view.zoom(STEP * STEP, event.clientX, event.clientY);
    });
    figure.addEventListener("wheel", view.roll.bind(view), { passive: false });
    figure.addEventListener("keydown", view.key.bind(view));
    figure.addEventListener("focusin", function (event) { // shows a link that gets the focus from the keyboard
      var link = event.target.closest("svg a");
      if (link && view.full && link.matches(":focus-visible")) view.reveal(view.around([link]));
    });
    figure.addEventListener("dragstart", function (event) { event.preventDefault(); });
    figure.addEventListener("contextmenu", function (event) { if (view.full && view.fingers.size) event.preventDefault(); });
    new ResizeObserver(function () {
      var wide = view.wide, high = view.high;
      view.measure();
      if (view.wide !== wide || view.high !== high) view.begin();
    }).observe(figure);
  }

  // Sets --above, the height of the page above the stage: the map takes the rest of the window.
  function stretch() {
    var stage = document.querySelector(".stage");
    if (!stage) return;
    var above = Math.round(stage.getBoundingClientRect().top + window.scrollY);
    document.documentElement.style.setProperty("--above", above + "px");
  }

  function equipAll() {
    stretch();
    document.querySelectorAll("figure.map").forEach(function (figure) {
      equip(figure);
      if (figure.view) figure.view.goAlong();
    });
  }

  // A replay follows the car whose turn it is, from its opening and while it plays. The button stops following.
  function follow(selector) {
    document.querySelectorAll(selector).forEach(function (figure) {
      var view = figure.view;
      if (view && view.buttons.follow && !view.chosen) view.follow(true);
    });
  }

  document.addEventListener("replay:play", function () { follow("figure.map"); });
  document.addEventListener("DOMContentLoaded", function () {
    equipAll();
    follow("#replay figure.map");
  });
  document.addEventListener("htmx:afterSettle", equipAll);
  window.addEventListener("resize", stretch);
})();
