// After a roll the eye sees the dice settle, then the cars drive to where they stand now, and then the verdict and the
// odds. The answer itself is on the page at once, for readers of the screen. A tap ends it all; so does a wish for less
// motion. The whole takes at most LONGEST.
(function () {
  "use strict";

  var LONGEST = 2400, FALL = 900, SPACE = 170, SHORTEST = 350, FARTHEST = 1000; // milliseconds
  var SAMPLES = 24;
  var before = null; // where the cars stood, and the path of the plan, before the last swap
  var running = []; // animations of cars
  var timer = null;
  var shown = null; // what is under way, until it has ended

  function run() { return document.getElementById("run"); }
  // The mark is on the root: htmx puts the classes of what it swaps back to those of the answer.
  function still() { return window.matchMedia("(prefers-reduced-motion: reduce)").matches; }

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
    document.querySelectorAll("#run svg .cars .car[href]").forEach(function (car) {
      var here = pose(car);
      if (here) found[car.getAttribute("href")] = { car: car, pose: here };
    });
    return found;
  }

  // The points of the plan's line, from the car to its end.
  function line() {
    var path = document.querySelector("#run svg .laid path.plan:not(.casing)"), points = [];
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

  function drive(car, from, to, points, start, skids) {
    var poses = way(from, to, points), end = poses[poses.length - 1];
    var reach = Math.hypot(to.x - from.x, to.y - from.y);
    var takes = Math.min(FARTHEST, Math.max(SHORTEST, SPACE * Math.max(poses.length / 5, reach / 60)));
    if (skids) {
      [0.5, -0.35, 0.15].forEach(function (swerve) { poses.push({ x: end.x, y: end.y, turn: end.turn + swerve, scale: end.scale }); });
      poses.push(end);
    }
    var how = { duration: takes, delay: start, fill: "backwards", easing: "ease-in-out" };
    running.push(car.animate(poses.map(function (each) {
      return { transform: "translate(" + each.x + "px, " + each.y + "px)" };
    }), how));
    running.push(car.querySelector("g").animate(poses.map(function (each) {
      return { transform: "rotate(" + each.turn + "rad) scale(" + each.scale + ")" };
    }), how));
    return takes;
  }

  function end() {
    window.clearTimeout(timer);
    timer = shown = null;
    running.splice(0).forEach(function (each) { each.cancel(); });
    document.documentElement.classList.remove("unseen");
    document.querySelectorAll("#run .rolled").forEach(function (rolled) { rolled.style.removeProperty("--drive"); });
  }

  function begin() {
    var was = before, sections = document.querySelectorAll("#run .rolled:has([data-new])");
    before = null;
    if (!was || still() || document.hidden || !run() || !document.body.animate) return;
    var now = cars(), settled = 0, lost = false;
    sections.forEach(function (rolled) {
      var order = Math.max.apply(null, [].map.call(rolled.querySelectorAll(".die-rolled[data-new]"), function (die) { return Number(die.dataset.order) || 1; }).concat(1));
      var step = rolled.dataset.way === "flat" ? 70 : Math.min(550, (LONGEST - FALL - FARTHEST) / Math.max(1, order - 1));
      rolled.style.setProperty("--step", step / 1000 + "s");
      settled = Math.max(settled, FALL + (order - 1) * step);
      lost = lost || "lost" in rolled.dataset;
    });
    var takes = 0;
    Object.keys(now).forEach(function (name) {
      var from = was.cars[name] && was.cars[name].pose, to = now[name].pose;
      if (!from || Math.hypot(from.x - to.x, from.y - to.y) < 2) return;
      var own = now[name].car.classList.contains("mine");
      takes = Math.max(takes, drive(now[name].car, from, to, own ? was.line : [], settled, own && lost));
    });
    if (!settled && !takes) return;
    if (sections.length) document.documentElement.classList.add("unseen");
    sections.forEach(function (rolled) { rolled.style.setProperty("--drive", takes / 1000 + "s"); });
    // Animations begin with the next frame, which a slow phone draws late: so does the time until the verdict.
    var mine = shown = {};
    window.requestAnimationFrame(function () {
      window.requestAnimationFrame(function () { if (shown === mine) timer = window.setTimeout(end, settled + takes + 400); });
    });
  }

  document.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.target && event.detail.target.id === "run" && event.detail.shouldSwap !== false) {
      var line_ = line();
      end();
      before = { cars: cars(), line: line_ };
    }
  });
  document.addEventListener("htmx:afterSwap", begin);
  document.addEventListener("pointerdown", end);
  document.addEventListener("keydown", end);
})();
