// After an answer, or news of another car, the eye sees what fell settle, then the cars drive, then the verdict, the odds
// and the next choice. A car that is gone drives on along its plan. The camera goes along. Readers of the screen have it
// all at once. A tap or a key ends it. Meanwhile poll.js brings nothing new. A game's script that hears "drive:begin" says
// how long its own things take; else data-fresh marks what fell: a text that is another one for each fall.
(function () {
  "use strict";

  var LONGEST = 2100, AFTER = 400, FALL = 800, SPACE = 170, SHORTEST = 350, FARTHEST = 1000; // milliseconds
  var SAMPLES = 24, BEYOND = 110, STILL = 2; // points of a line; units of the map
  var before = null; // where the cars stood, the line of the plan and the camera, before the last swap
  var running = [], extras = []; // animations; what is drawn only for them
  var timer = null;
  var shown = null; // what is under way, until it has ended
  var known = {}; // what has fallen already

  function run() { return document.getElementById("run"); }
  // The mark is on the root: htmx puts the classes of what it swaps back to those of the answer.
  function root() { return document.documentElement; }
  function still() { return window.matchMedia("(prefers-reduced-motion: reduce)").matches; }
  function all(selector) { return [].slice.call(document.querySelectorAll(selector)); }

  // A car is a group at its place; the body in it is turned along the road, the number stays upright.
  function pose(car) {
    var place = car.transform.baseVal, body = car.querySelector("g"), turned = body && body.transform.baseVal;
    if (!place.numberOfItems || !turned || !turned.numberOfItems) return null;
    return {
      x: place.getItem(0).matrix.e, y: place.getItem(0).matrix.f, turn: turned.getItem(0).angle * Math.PI / 180,
      scale: turned.numberOfItems > 1 ? turned.getItem(1).matrix.a : 1,
    };
  }

  function cars() {
    var found = {};
    all("#run svg .cars .car[href]").forEach(function (car) {
      var here = pose(car);
      if (here) found[car.getAttribute("href")] = { car: car, pose: here };
    });
    return found;
  }

  function drawing() { return document.querySelector("#run figure.map.full > svg"); }
  function camera() { return drawing() ? drawing().style.transform : ""; }

  function inSight(car) {
    var window_ = drawing().parentElement.getBoundingClientRect(), box = car.getBoundingClientRect();
    return box.left > window_.left && box.right < window_.right && box.top > window_.top && box.bottom < window_.bottom;
  }

  function cameraAt(place) {
    var view = drawing().parentElement.view, now = { x: view.x, y: view.y, scale: view.scale };
    view.look(place.x, place.y, view.scale);
    var found = camera();
    view.look(now.x, now.y, now.scale);
    return found;
  }

  // The points of the plan's line, from the car to its end.
  function line() {
    var path = document.querySelector("#run svg .laid > path:not(.casing)"), points = [];
    var length = path ? path.getTotalLength() : 0;
    for (var n = 0; length && n <= SAMPLES; n++) points.push(path.getPointAtLength(length * n / SAMPLES));
    return points;
  }

  // The poses from one place to another: along the plan's line as far as it leads there, else straight.
  function way(from, to, points) {
    var near = -1, least = 40; // units of the map: farther away the line does not lead there
    points.forEach(function (point, n) {
      var off = Math.hypot(point.x - to.x, point.y - to.y);
      if (off < least) { least = off; near = n; }
    });
    var poses = [from];
    for (var n = 1; n < near; n++) {
      var last = poses[poses.length - 1], turn = Math.atan2(points[n].y - last.y, points[n].x - last.x);
      poses.push({ x: points[n].x, y: points[n].y, turn: turn, scale: to.scale });
    }
    poses.push(to);
    for (var k = 1; k < poses.length; k++) { // turns the short way round
      while (poses[k].turn - poses[k - 1].turn > Math.PI) poses[k].turn -= 2 * Math.PI;
      while (poses[k].turn - poses[k - 1].turn < -Math.PI) poses[k].turn += 2 * Math.PI;
    }
    return poses;
  }

  function at(each) { return "translate(" + each.x + "px, " + each.y + "px)"; }
  function animate(thing, frames, how) { running.push(thing.animate(frames, how)); }

  // What the wheels raise, where the car passes. The car is slow at first and at last: so are the moments of its clouds.
  function raise(car, poses, start, takes) {
    for (var n = 1; n < poses.length; n += Math.max(1, Math.round(poses.length / 12))) {
      var cloud = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      var part = 0.5 - Math.sin(Math.asin(1 - 2 * n / poses.length) / 3), aside = n % 2 ? 4 : -4;
      var place = at({ x: poses[n].x + aside, y: poses[n].y - aside });
      cloud.setAttribute("class", "raised");
      cloud.setAttribute("r", "7");
      cloud.setAttribute("aria-hidden", "true");
      car.before(cloud);
      extras.push(cloud);
      animate(cloud, [
        { transform: place + " scale(.3)", opacity: 0 }, { transform: place + " scale(.9)", opacity: 0.7, offset: 0.25 },
        { transform: place + " scale(2.2)", opacity: 0 },
      ], { duration: 620, delay: start + takes * part, easing: "ease-out" });
    }
  }

  // Returns how long the car takes. It may have until `latest`.
  function drive(car, poses, start, latest, skids) {
    var end = poses[poses.length - 1], reach = Math.hypot(end.x - poses[0].x, end.y - poses[0].y);
    var takes = Math.min(FARTHEST, latest, Math.max(SHORTEST, SPACE * Math.max(poses.length / 5, reach / 60)));
    if (skids) {
      poses = poses.concat([0.5, -0.35, 0.15, 0].map(function (swerve) {
        return { x: end.x, y: end.y, turn: end.turn + swerve, scale: end.scale };
      }));
    }
    var how = { duration: takes, delay: start, fill: "backwards", easing: "ease-in-out" };
    animate(car, poses.map(function (each) { return { transform: at(each) }; }), how);
    animate(car.querySelector("g"), poses.map(function (each) {
      return { transform: "rotate(" + each.turn + "rad) scale(" + each.scale + ")" };
    }), how);
    raise(car, poses, start, takes);
    return takes;
  }

  // The own car is not on the map any more: it drives to the end of its line and on, and is gone.
  function leave(was, start, latest) {
    var points = was.line, overlay = document.querySelector("#run figure.map.full svg.overlay");
    var own = was.own;
    if (!own || points.length < 2 || !overlay) return 0;
    var last = points[points.length - 1], turn = Math.atan2(last.y - points[points.length - 3].y, last.x - points[points.length - 3].x);
    var to = { x: last.x + BEYOND * Math.cos(turn), y: last.y + BEYOND * Math.sin(turn), turn: turn, scale: own.pose.scale };
    var car = own.car.cloneNode(true), group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    car.removeAttribute("href");
    car.setAttribute("transform", "translate(" + last.x + " " + last.y + ")"); // the camera looks there
    group.setAttribute("class", "cars");
    group.setAttribute("aria-hidden", "true");
    group.append(car);
    overlay.append(group);
    extras.push(group);
    was.way = way(own.pose, to, points.concat(to));
    var takes = drive(car, was.way, start, latest, false);
    animate(car, [{ opacity: 1 }, { opacity: 1, offset: 0.8 }, { opacity: 0 }], { duration: takes, delay: start, fill: "both" });
    return takes;
  }

  function end() {
    window.clearTimeout(timer);
    timer = shown = null;
    running.splice(0).forEach(function (each) { each.cancel(); });
    extras.splice(0).forEach(function (each) { each.remove(); });
    all("#run .fresh").forEach(function (fell) { fell.classList.remove("fresh"); });
    root().classList.remove("unseen");
    root().style.removeProperty("--drive");
  }

  function hidden(part) {
    for (; part && part.id !== "run"; part = part.parentElement) if (getComputedStyle(part).opacity === "0") return true;
    return false;
  }

  // A tap on what is not to be seen yet chooses nothing. A button is seen, also where its small print is not yet.
  function skip(event) {
    if (event.repeat || !shown) return;
    if (event.type === "pointerdown" && event.target.closest && event.target.closest("#run") && hidden(event.target.closest("a, button, summary, label") || event.target)) {
      var swallow = function (click) { click.preventDefault(); click.stopPropagation(); };
      document.addEventListener("click", swallow, { capture: true, once: true });
      window.setTimeout(function () { document.removeEventListener("click", swallow, true); }, 500);
    }
    end();
    document.dispatchEvent(new CustomEvent("drive:skipped"));
  }

  // What falls and has not been seen yet. Returns how long it takes to settle.
  function fall(seen) {
    var takes = 0;
    all("#run [data-fresh]").forEach(function (fell) {
      if (!known[fell.dataset.fresh] && !seen) {
        fell.classList.add("fresh");
        takes = FALL;
      }
      known[fell.dataset.fresh] = true;
    });
    return takes;
  }

  // Moves all cars from where they stood. Returns how long the longest drive takes.
  function driveAll(was, start, latest, lost) {
    var now = cars(), takes = 0, own = false;
    Object.keys(now).forEach(function (name) {
      var from = was.cars[name] && was.cars[name].pose, to = now[name].pose, mine = now[name].car.classList.contains("mine");
      own = own || mine;
      if (!from || Math.hypot(from.x - to.x, from.y - to.y) < STILL) return;
      var far = was.news && !was.seen[name] && !inSight(now[name].car); // nobody waits for what nobody sees
      var poses = way(from, to, mine ? was.line : []), lasts = drive(now[name].car, poses, start, latest, mine && lost);
      if (mine) was.way = poses;
      if (!far) takes = Math.max(takes, lasts);
    });
    if (!own && !lost) takes = Math.max(takes, leave(was, start, latest));
    return takes;
  }

  // The map has been set up anew when the swap is done: then the camera stays where it was, or goes to the own car while
  // the rest settles, and then goes along to its new view.
  function film(was, start, takes) {
    if (!was.drives) start = 0; // the others do not keep it
    Promise.resolve().then(function () {
      if (!shown || !was.camera || !camera() || was.camera === camera()) return;
      var away = was.drives && was.away && drawing().parentElement.view, follows = away ? was.way : [];
      var to = follows.length ? cameraAt(follows[0]) : was.camera;
      if (start) animate(drawing(), [{ transform: was.camera }, { transform: to }], { duration: start, easing: "ease-in-out" });
      var frames = follows.length ? follows.slice(0, -2).map(cameraAt) : [to]; // and then to where it belongs
      animate(drawing(), frames.map(function (each, n) { return { transform: each, offset: n / frames.length }; }),
        { duration: Math.max(SHORTEST, takes), delay: start, easing: "ease-in-out" });
    });
  }

  // Whether the own car stands elsewhere now, or nowhere.
  function drives(was) {
    var now = was.own && cars()[was.own.car.getAttribute("href")];
    return !!was.own && (!now || Math.hypot(now.pose.x - was.own.pose.x, now.pose.y - was.own.pose.y) >= STILL);
  }

  function begin() {
    var was = before, off = !was || still() || document.hidden || !run() || !document.body.animate;
    before = null;
    var settled = fall(off);
    if (off) return;
    var told = { settled: settled, longest: LONGEST - SHORTEST, lost: false, news: was.news, takes: 0, running: running };
    document.dispatchEvent(new CustomEvent("drive:begin", { detail: told }));
    was.drives = drives(was);
    settled = Math.max(told.settled, was.drives && was.away ? SHORTEST : 0); // the camera goes to the car first
    var takes = Math.max(told.takes, driveAll(was, settled, Math.max(SHORTEST, LONGEST - settled), told.lost));
    if (!told.settled && !takes) return;
    root().classList.add("unseen");
    root().style.setProperty("--drive", takes / 1000 + "s");
    // Animations begin with the next frame, which a slow phone draws late: so does the time until the verdict.
    var mine = shown = {};
    film(was, settled, takes);
    window.requestAnimationFrame(function () {
      window.requestAnimationFrame(function () { if (shown === mine) timer = window.setTimeout(end, settled + takes + AFTER); });
    });
  }

  function note(event) {
    var now = { line: line(), camera: camera() };
    end();
    now.cars = cars();
    now.seen = {};
    now.way = [];
    Object.keys(now.cars).forEach(function (name) {
      var one = now.cars[name];
      now.seen[name] = !!drawing() && inSight(one.car);
      if (one.car.classList.contains("mine")) now.own = one;
    });
    now.away = !!now.own && !now.seen[now.own.car.getAttribute("href")];
    now.news = event.type === "service:news"; // not what this window has sent
    before = now;
  }

  document.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.target && event.detail.target.id === "run" && event.detail.shouldSwap !== false) note(event);
  });
  document.addEventListener("service:news", note); // poll.js: news of this page comes next
  document.addEventListener("htmx:afterSwap", begin);
  document.addEventListener("DOMContentLoaded", function () { fall(true); });
  document.addEventListener("pointerdown", skip);
  document.addEventListener("keydown", skip);
})();
