// Goes on with a plan that is laid without a connection (kept-steps.js). The service wrote the moves from each space in
// each gear into the page ("later-moves"); this script leaves out those whose dice are laid. The service checks the plan
// when it comes.
(function () {
  "use strict";

  var SVG = "http://www.w3.org/2000/svg", HIGH = 7, WIDE = 6.2;
  var before = []; // pairs: what the service sent, and what stands in its place meanwhile

  function one(selector) { return document.querySelector(selector); }
  function all(selector) { return [].slice.call(document.querySelectorAll(selector)); }
  function data() { var moves = one("#later-moves"); return moves ? JSON.parse(moves.textContent) : null; }

  function made(kind, words, name) {
    var part = document.createElement(kind);
    if (words) part.textContent = words;
    if (name) part.className = name;
    return part;
  }

  function drawn(kind, values, words) {
    var part = document.createElementNS(SVG, kind);
    Object.keys(values).forEach(function (name) { part.setAttribute(name, values[name]); });
    if (words) part.textContent = words;
    return part;
  }

  // The moves of a plan: {die, gear, brakes, to} each, and where the car is behind them.
  function read(move) {
    var parts = move.split(":"), die = parts[0];
    return { text: move, die: die, sign: die.replace(/b+$/, ""), brakes: die.split("b").length - 1, to: parts[1].split("^").pop() };
  }

  function driven(all, plan) {
    var car = { space: all.at[0], gear: all.at[1], gears: all.dice.gears, coasts: all.dice.coasts, brakes: all.dice.brakes, used: {} };
    plan.split(" ").filter(Boolean).map(read).forEach(function (move) {
      car.space = move.to;
      car.brakes -= move.brakes;
      if (move.sign === "c") car.coasts -= 1;
      else if (move.sign === "x") car.brakes -= 1;
      else { car.gear = Number(move.sign); car.used[move.sign] = true; car.gears -= 1; }
    });
    return car;
  }

  function left(car, move) {
    if (move.sign === "c") return car.coasts > 0;
    if (move.sign === "x") return car.brakes > 0;
    return car.gears > 0 && !car.used[move.sign] && move.brakes <= car.brakes;
  }

  // The moves that may come next: [{text, to, loses, ...}].
  function onward(all, car) {
    var found = [];
    (all.moves[car.space + " " + car.gear] || "").split(" ").filter(Boolean).forEach(function (group) {
      var cut = group.indexOf(":"), space = group.slice(cut + 1);
      group.slice(0, cut).split(",").forEach(function (die) {
        var move = read(die.replace("!", "") + ":" + space);
        move.loses = die.indexOf("!") > 0;
        if (left(car, move)) found.push(move);
      });
    });
    return found.sort(function (a, b) { return a.loses - b.loses; });
  }

  // What a move looks like ------------------------------------------------------------------------

  function signs(all, move) {
    var box = made("span", "", "later-dice"), each = [move.sign].concat(Array(move.brakes).fill("b"));
    box.setAttribute("aria-hidden", "true");
    box.innerHTML = each.map(function (sign) { return all.signs[sign] ? all.signs[sign][0] : ""; }).join("");
    return box;
  }

  function named(all, move) {
    return [move.sign].concat(Array(move.brakes).fill("b")).map(function (sign) { return all.signs[sign] ? all.signs[sign][1] : sign; }).join(" + ");
  }

  function where(all, space) { return all.places[space] ? all.places[space][3] : space; }

  function button(all, move, words) {
    var each = made("button"), text = made("span");
    if (move.loses) each.className = "danger";
    each.append(signs(all, move), text);
    text.append(made("strong", named(all, move)), " " + where(all, move.to));
    if (move.loses) each.append(made("small", words.lost));
    return each;
  }

  function list(all, moves, words) {
    var found = made("ul", "", "choices");
    moves.forEach(function (move) {
      var item = made("li", "", move.loses ? "danger" : ""), each = button(all, move, words);
      each.name = "move";
      each.value = move.text;
      item.append(each);
      found.append(item);
    });
    return found;
  }

  function fans(all, spaces, words) {
    var template = made("template");
    template.id = "fans";
    Object.keys(spaces).forEach(function (space) {
      var fan = made("div", "", "fan");
      fan.dataset.space = space;
      fan.setAttribute("role", "group");
      fan.tabIndex = -1;
      fan.setAttribute("aria-label", words.to.replace("{}", where(all, space)));
      spaces[space].forEach(function (move) {
        var each = made("button", "", move.loses ? "danger" : ""), dice = signs(all, move);
        each.type = "button";
        each.dataset.move = move.text;
        dice.className = "fan-dice";
        each.append(dice, made("span", named(all, move) + (move.loses ? ": " + words.lost : ""), "visually-hidden"));
        fan.append(each);
      });
      template.content.append(fan);
    });
    return template;
  }

  function tag(text, lost) {
    var group = document.createDocumentFragment(), wide = Math.max(2 * HIGH, text.length * WIDE + 6);
    group.append(drawn("rect", { x: -wide / 2, y: -HIGH, width: wide, height: 2 * HIGH, rx: 3, class: lost ? "lost" : "" }));
    group.append(drawn("text", { dy: 3.6, class: lost ? "lost" : "" }, text));
    return group;
  }

  // The dice that lead to a space, short enough for the map.
  function chip(moves) {
    var dice = moves.map(function (move) { return move.die.replace("c", "→").replace("x", "R"); });
    return dice.length > 2 ? dice[0] + " …" : dice.join(" ");
  }

  function targets(all, spaces) {
    var group = drawn("g", { class: "targets later" });
    Object.keys(spaces).forEach(function (space) {
      var spot = all.places[space], lost = spaces[space].every(function (move) { return move.loses; });
      if (!spot) return;
      var sound = spaces[space].filter(function (move) { return move.loses === lost; });
      var link = drawn("a", { class: lost ? "target loses" : "target", href: "#next-move", "data-space": space, "aria-label": chip(sound) + " " + spot[3] });
      var label = drawn("g", { class: "chip", "aria-hidden": "true", transform: "translate(" + spot[0] + " " + spot[1] + ")" });
      label.append(tag(chip(sound), lost));
      link.append(drawn("path", { class: "area", d: spot[2] }), label);
      group.append(drawn("path", { class: lost ? "open loses" : "open", d: spot[2] }), link);
    });
    return group;
  }

  function laid(all, moves) {
    var group = drawn("g", { class: "laid later", "aria-hidden": "true" });
    moves.forEach(function (move) {
      var spot = all.places[move.to];
      if (!spot) return;
      var die = drawn("g", { class: "die step", transform: "translate(" + spot[0] + " " + spot[1] + ")" });
      die.append(tag(move.die.replace("c", "→").replace("x", "R")));
      group.append(die);
    });
    return group;
  }

  // On the page ------------------------------------------------------------------------------------

  // Puts a part in the place of another one, which comes back in `restore`.
  function instead(old, part) {
    if (!old) return;
    old.replaceWith(part);
    before.push([old, part]);
  }

  function added(parent, part) {
    if (!parent) return;
    parent.append(part);
    before.push([null, part]);
  }

  function restore() {
    before.reverse().forEach(function (pair) {
      if (pair[0]) pair[1].replaceWith(pair[0]);
      else pair[1].remove();
    });
    before = [];
  }

  function planned(all, plan, base) {
    var shown = one("#panel .draft .plan"), steps = base ? plan.slice(base.length) : plan, longer = plan.indexOf(base) === 0;
    var ordered = made("ol", "", "plan");
    (longer && shown ? steps : plan).split(" ").filter(Boolean).map(read).forEach(function (move) {
      var item = made("li", "", "later");
      item.dataset.laid = move.text;
      item.append(signs(all, move), made("span", named(all, move) + " " + where(all, move.to), "visually-hidden"), made("span", where(all, move.to)));
      ordered.append(item);
    });
    if (longer && shown) [].slice.call(ordered.children).forEach(function (item) { added(shown, item); });
    else if (shown) instead(shown, ordered);
    else if (ordered.children.length) added(one("#panel .draft"), ordered);
  }

  function tray(plan) {
    var template = one("#tray-later");
    if (!template || !plan) return;
    var box = made("div", "", "tray-later");
    box.append(document.importNode(template.content, true));
    added(template.parentElement, box);
    box.querySelectorAll("input[type=hidden][name=plan]").forEach(function (field) { field.value = plan; });
    if (window.htmx) window.htmx.process(box);
  }

  function show(what) {
    restore();
    var all_ = data(), form = one("#moves"), overlay = one("#run .overlay");
    if (!all_ || !all_.at || !form || (what.plan === what.base && !what.ordered)) return;
    var words = form.dataset, spaces = {}, moves = what.ordered ? [] : onward(all_, driven(all_, what.plan));
    moves.forEach(function (move) { (spaces[move.to] = spaces[move.to] || []).push(move); });
    instead(form.querySelector(".choices"), list(all_, moves, words));
    instead(one("#fans"), fans(all_, spaces, words));
    all("#run .overlay > :is(.targets, .open, .hatched, .laid)").forEach(function (part) { instead(part, drawn("g", {})); });
    added(overlay, laid(all_, what.plan.split(" ").filter(Boolean).map(read)));
    added(overlay, targets(all_, spaces));
    added(form, made("p", words.unknown, "help"));
    planned(all_, what.plan, what.base);
    if (!what.ordered) tray(what.plan);
    var map = one("figure.map.full");
    if (map && map.view && map.view.matters()) map.view.reveal(map.view.matters());
  }

  document.addEventListener("plan:laid", function (event) { show(event.detail); });
  document.addEventListener("htmx:afterSwap", function (event) { if (event.detail.target && event.detail.target.id === "run") before = []; });
})();
