// Choose one of the page's moves on the map or by keys, and lay it. A choice in a fan is laid too. Only the server
// knows the possible moves. These keys are handled before those of the page (run.js).
(function () {
  "use strict";

  function one(selector) { return document.querySelector(selector); }
  function all(selector) { return [].slice.call(document.querySelectorAll(selector)); }

  document.addEventListener("fan:chosen", function (event) {
    var form = one("#moves"), move = document.createElement("input");
    move.type = "hidden";
    move.name = "move";
    move.value = event.detail.move;
    form.append(move);
    form.requestSubmit();
    move.remove();
  });

  var WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  var picked = null; // the move chosen by keys, in the notation of plans

  function moves() { return all("#panel button[name=move]").filter(function (button) { return button.getClientRects().length; }); }
  function die(move) { return move.split(":")[0]; }
  function space(move) { return move.split(":")[1].split("^").pop(); }
  function target(name) { return one("#run svg a.target[data-space='" + name + "']"); }

  function middle(part) {
    var box = part.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  }

  // The space from which the path continues: the chosen space, else the end of the plan, else the own car.
  function origin() {
    var from = picked && target(space(picked));
    var dice = all("#run svg .laid .die");
    from = from || dice[dice.length - 1] || one("#run svg .laid") || one("#run svg .car.mine");
    return from ? middle(from) : { x: 0, y: 0 };
  }

  // The best space in that direction; near spaces come first.
  function towards(way) {
    var from = origin(), best = null, least = Infinity;
    moves().map(function (button) { return space(button.value); }).forEach(function (name) {
      var link = target(name);
      if (!link || (picked && name === space(picked))) return;
      var to = middle(link.querySelector(".area") || link);
      var across = to.x - from.x, down = to.y - from.y, reach = Math.hypot(across, down) || 1;
      var along = (across * way[0] + down * way[1]) / reach; // the cosine of the angle to that direction
      if (along < (picked ? 0.2 : -0.2)) return;
      var cost = reach * (2.4 - along);
      if (cost < least) { least = cost; best = name; }
    });
    return best;
  }

  function pick(button) {
    if (!button) return;
    picked = button.value;
    if (one("#refused")) one("#refused").replaceChildren();
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "nearest" });
    light();
  }

  function light() {
    all("#run svg a.target.picked").forEach(function (link) { link.classList.remove("picked"); });
    var link = picked && target(space(picked)), map = one("figure.map.full");
    if (!link) return;
    link.classList.add("picked");
    if (map && map.view) map.view.reveal(map.view.around([link]));
  }

  // A key whose die cannot be laid shows the reason and chooses nothing. The earlier choice is cleared, so Enter lays
  // nothing.
  function refuse(die) {
    var reasons = one("#refused-dice"), box = one("#refused"), heading = one("#next-move");
    var why = reasons && reasons.content.querySelector("[data-die='" + die + "']");
    picked = null;
    light();
    if (heading && document.activeElement.matches("body, #panel button[name=move], .fan *")) heading.focus({ preventScroll: true });
    if (box) box.replaceChildren(why ? document.importNode(why, true) : "");
  }

  // Among the moves with this die: the move to the chosen space, else the first move.
  function withDie(fits) {
    var found = moves().filter(function (button) { return fits(die(button.value)); });
    return found.find(function (button) { return picked && space(button.value) === space(picked); }) || found[0];
  }

  // A die alone, else with brakes. "b" is the chosen die with one more brake, else any die with brakes.
  function withKey(key) {
    var exact = key === "b" ? picked && die(picked) + "b" : key;
    return withDie(function (one) { return one === exact; }) || withDie(function (one) {
      return key === "b" ? one.indexOf("b") > 0 : one[0] === key;
    });
  }

  function toSpace(name) {
    var found = moves().filter(function (button) { return space(button.value) === name; });
    return found.find(function (button) { return picked && die(button.value) === die(picked); }) || found[0];
  }

  // Returns whether this script handled the key.
  function press(key) {
    var laying = moves().length > 0, undo = one("#draft button[value=undo]");
    if (WAYS[key] && laying) pick(toSpace(towards(WAYS[key])));
    else if (/^[1-6cxb]$/.test(key) && laying) {
      var found = withKey(key);
      if (found) pick(found);
      else refuse(key);
    } else if (key === "Backspace" && undo) undo.click();
    else return false;
    return true;
  }

  // Keys that act on the chosen move use it, unless the focus is on another space.
  document.addEventListener("run:look", function (event) {
    if (!event.detail.space && picked) event.detail.space = space(picked);
  });

  document.addEventListener("keydown", function (event) {
    if (!one("#run") || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    var here = event.target;
    if (here.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
    if (event.repeat && !WAYS[event.key]) return;
    if (WAYS[event.key] && (event.shiftKey || here.closest(".log, .sheet, summary"))) return;
    if (press(event.key.length === 1 ? event.key.toLowerCase() : event.key)) event.preventDefault();
  });

  document.addEventListener("focusin", function (event) {
    if (settling || !event.target.matches("#panel button[name=move]")) return;
    picked = event.target.value;
    light();
  });

  // The map highlights the move under the mouse.
  document.addEventListener("pointerover", function (event) {
    var button = event.target.closest && event.target.closest("#panel button[name=move]");
    if (event.pointerType !== "mouse") return;
    all("#run svg a.target.hinted").forEach(function (link) { link.classList.remove("hinted"); });
    var link = button && target(space(button.value));
    if (link) link.classList.add("hinted");
  });

  var settling = false;

  document.addEventListener("htmx:afterSwap", function () {
    picked = null;
    settling = true;
  });
  document.addEventListener("htmx:afterSettle", function () { window.setTimeout(function () { settling = false; }); });
})();
