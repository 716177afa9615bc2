// The stage page at hand: spaces on the map are pressed and chosen by keys, places are looked at, and what does not get
// through is sent again. Which moves there are comes from the server alone; this only picks among those on the page.
(function () {
  "use strict";

  var PATIENCE = 20000; // milliseconds until an answer counts as lost

  function one(selector) { return document.querySelector(selector); }
  function all(selector) { return [].slice.call(document.querySelectorAll(selector)); }

  // Laying on the map ----------------------------------------------------------------------------

  function fetchPage(verb, address, values) {
    return window.htmx.ajax(verb, address.split("#")[0], {
      source: one("#run"), target: "#run", select: "#run", swap: "outerHTML show:none", values: values,
    });
  }

  function lay(link) {
    var form = one("#moves");
    if (!link.dataset.move || !form) { fetchPage("GET", link.getAttribute("href")); return; }
    var move = document.createElement("input");
    move.type = "hidden";
    move.name = "move";
    move.value = link.dataset.move;
    form.append(move);
    form.requestSubmit();
    move.remove();
  }

  document.addEventListener("click", function (event) {
    if (!event.target.closest || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    var link = event.target.closest("#run svg a");
    if (link && link.matches(".target") && window.htmx) {
      event.preventDefault();
      lay(link);
      return;
    }
    var car = event.target.closest("#run a[href^='#car-'], #run a[data-car]");
    var place = event.target.closest("#run a[data-place]");
    if (!car && !place) return;
    event.preventDefault();
    if (car) look({ car: car.dataset.car || car.getAttribute("href").slice("#car-".length) }, event.detail === 0);
    else look({ at: place.getAttribute("href") }, event.detail === 0 || !!place.closest(".sheet"));
  });

  // The second tap of a double tap must not press what the first one brought under the finger. Two quick taps on
  // two places are not one: who knows the way lays fast.
  var NEAR = 16; // CSS pixels
  var swapped = false, tapped = null;
  document.addEventListener("click", function (event) {
    if (!event.target.closest || !event.target.closest("#run :is(button, a.target)")) return;
    var same = tapped && Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) < NEAR;
    if (event.detail > 1 && swapped && same) { event.preventDefault(); event.stopPropagation(); return; }
    tapped = { x: event.clientX, y: event.clientY };
    swapped = false;
  }, true);

  // Looking at cars, spaces and tiles ------------------------------------------------------------

  var looked = null; // {car: number} or {at: address}: shown again after a swap, with what is true then

  function sheet() { return one("#sheet"); }

  function close() {
    var box = sheet();
    looked = null;
    if (box) { box.hidden = true; box.replaceChildren(); }
    mark(null);
  }

  function mark(outline) {
    all("#run .looked-at").forEach(function (path) { path.remove(); });
    all("#run .car.looked").forEach(function (car) { car.classList.remove("looked"); });
    var overlay = one("#run .overlay");
    if (!outline || !overlay) return;
    var path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", "looked-at");
    path.setAttribute("d", outline);
    overlay.append(path);
  }

  function fill(content, focus) {
    var box = sheet();
    if (!box) return;
    var shut = document.createElement("button");
    shut.type = "button";
    shut.className = "shut";
    shut.textContent = "×";
    shut.setAttribute("aria-label", box.dataset.close);
    shut.addEventListener("click", close);
    box.replaceChildren(shut, content);
    box.hidden = false;
    if (focus) box.focus({ preventScroll: true });
  }

  function look(what, focus) {
    var box = sheet();
    if (!box) return;
    looked = what;
    if (what.car) {
      var card = document.getElementById("car-" + what.car);
      if (!card) { close(); return; }
      var copy = document.createElement("div");
      copy.className = "carcard";
      copy.append.apply(copy, [].slice.call(card.cloneNode(true).childNodes));
      fill(copy, focus);
      mark(null);
      all("#run .car[href='#car-" + what.car + "']").forEach(function (car) { car.classList.add("looked"); });
      return;
    }
    fetch(what.at, { headers: { "HX-Request": "true" }, credentials: "same-origin" }).then(function (answer) {
      if (answer.status === 204) { if (looked === what) close(); return null; }
      if (!answer.ok) throw answer;
      return answer.text();
    }).then(function (text) {
      if (text === null || looked !== what) return;
      var place = new DOMParser().parseFromString(text, "text/html").getElementById("place");
      if (!place) { close(); return; }
      var heading = place.querySelector("h1"), title = document.createElement("h3");
      if (heading) { title.textContent = heading.textContent; heading.replaceWith(title); }
      fill(document.importNode(place, true), focus);
      mark(place.dataset.outline);
    }).catch(function () {
      if (looked === what) { looked = null; say(navigator.onLine ? "failed" : "offline", null); }
    });
  }

  document.addEventListener("map:look", function (event) {
    var at = event.target.dataset.at, point = event.detail;
    look({ at: at + "?x=" + point.x.toFixed(1) + "&y=" + point.y.toFixed(1) });
  });

  // Keys -----------------------------------------------------------------------------------------

  var WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  var picked = null; // the move that keys have chosen, as written in a plan

  function moves() { return all("#panel button[name=move]").filter(function (button) { return button.getClientRects().length; }); }
  function die(move) { return move.split(":")[0]; }
  function space(move) { return move.split(":")[1].split("^").pop(); }
  function target(name) { return one("#run svg a.target[data-space='" + name + "']"); }

  function middle(part) {
    var box = part.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  }

  // Where the way goes on from: the chosen space, the end of the plan, the own car.
  function origin() {
    var from = picked && target(space(picked));
    var dice = all("#run svg .laid .die");
    from = from || dice[dice.length - 1] || one("#run svg .laid") || one("#run svg .car.mine");
    return from ? middle(from) : { x: 0, y: 0 };
  }

  // The space that lies most in that direction, near ones first.
  function towards(way) {
    var from = origin(), best = null, least = Infinity;
    moves().map(function (button) { return space(button.value); }).forEach(function (name) {
      var link = target(name);
      if (!link || (picked && name === space(picked))) return;
      var to = middle(link.querySelector(".area") || link);
      var across = to.x - from.x, down = to.y - from.y, reach = Math.hypot(across, down) || 1;
      var along = (across * way[0] + down * way[1]) / reach; // the cosine of how far it lies off
      if (along < (picked ? 0.2 : -0.2)) return;
      var cost = reach * (2.4 - along);
      if (cost < least) { least = cost; best = name; }
    });
    return best;
  }

  function pick(button) {
    if (!button) return;
    picked = button.value;
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

  // Among the moves with such a die: the one to the chosen space, else the first.
  function withDie(fits) {
    var found = moves().filter(function (button) { return fits(die(button.value)); });
    return found.find(function (button) { return picked && space(button.value) === space(picked); }) || found[0];
  }

  function toSpace(name) {
    var found = moves().filter(function (button) { return space(button.value) === name; });
    return found.find(function (button) { return picked && die(button.value) === die(picked); }) || found[0];
  }

  function roller() { return one("#panel form:is(.thumb, .actions):not(#draft) .button"); }

  function press(key) {
    var laying = moves().length > 0, undo = one("#draft button[value=undo]");
    if (WAYS[key] && laying) pick(toSpace(towards(WAYS[key])));
    else if (/^[1-6]$/.test(key) && laying) {
      pick(withDie(function (one) { return one === key; }) || withDie(function (one) { return one[0] === key; }));
    } else if (key === "c" && laying) pick(withDie(function (one) { return one === "c"; }));
    else if (key === "x" && laying) pick(withDie(function (one) { return one === "x"; }));
    else if (key === "b" && laying) {
      var braked = picked ? die(picked) + "b" : null;
      pick(withDie(function (one) { return one === braked; }) || withDie(function (one) { return one.indexOf("b") > 0; }));
    } else if (key === "Backspace" && undo) undo.click();
    else if (key === "r" && roller()) { roller().focus({ preventScroll: true }); roller().scrollIntoView({ block: "nearest" }); }
    else if (key === "i") inspect();
    else if (key === "?") { var keys = one("#keys"); keys.open = !keys.open; keys.querySelector("summary").focus(); }
    else if (key === "Escape" && sheet() && !sheet().hidden) { close(); one("figure.map.full").focus({ preventScroll: true }); }
    else return false;
    return true;
  }

  function inspect() {
    var focused = document.activeElement.closest && document.activeElement.closest("svg a.target");
    var name = focused ? focused.dataset.space : picked && space(picked);
    var map = one("figure.map.full"), own = one("#run svg a.car.mine") || one("#run svg a.car");
    if (name) look({ at: map.dataset.at + encodeURIComponent(name) + "/" }, true);
    else if (own) look({ car: own.getAttribute("href").slice("#car-".length) }, true);
  }

  document.addEventListener("keydown", function (event) {
    if (!one("#run") || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.key === "Enter" && event.repeat) { event.preventDefault(); return; } // one press, one roll
    var here = event.target;
    if (here.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
    if (event.repeat && !WAYS[event.key]) return;
    if (WAYS[event.key] && (event.shiftKey || here.closest(".log, .sheet, summary"))) return;
    var key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (press(key)) { event.preventDefault(); return; }
    var map = one("figure.map.full");
    if (map && map.view && here !== map && !WAYS[event.key]) map.view.key(event);
  });

  document.addEventListener("focusin", function (event) {
    if (settling || !event.target.matches("#panel button[name=move]")) return;
    picked = event.target.value;
    light();
  });

  // A move under the mouse is lit on the map.
  document.addEventListener("pointerover", function (event) {
    var button = event.target.closest && event.target.closest("#panel button[name=move]");
    if (event.pointerType !== "mouse") return;
    all("#run svg a.target.hinted").forEach(function (link) { link.classList.remove("hinted"); });
    var link = button && target(space(button.value));
    if (link) link.classList.add("hinted");
  });

  // What does not get through --------------------------------------------------------------------

  var unsent = null; // what was asked last and not answered: sent again just as it was

  function say(when, again) {
    var box = one("#lost");
    if (!box) return;
    all("#lost p").forEach(function (words) { words.hidden = words.dataset.when !== when; });
    box.classList.toggle("again", again);
    box.querySelector("button").hidden = !again;
    box.querySelector("button").disabled = false;
    box.hidden = !when;
  }

  function lost(event) {
    var asked = event.detail.requestConfig;
    if (!asked || !event.detail.elt.closest("#run")) return;
    unsent = { verb: asked.verb.toUpperCase(), path: asked.path, values: Object.fromEntries(asked.formData.entries()) };
    say(navigator.onLine ? "failed" : "offline", true);
  }

  ["htmx:sendError", "htmx:timeout"].forEach(function (kind) { document.addEventListener(kind, lost); });
  document.addEventListener("htmx:responseError", function (event) {
    if (event.detail.xhr.status >= 500) lost(event);
  });
  document.addEventListener("click", function (event) {
    if (!event.target.matches || !event.target.matches("#lost button") || !unsent) return;
    event.target.disabled = true;
    fetchPage(unsent.verb, unsent.path, unsent.values);
  });
  document.addEventListener("htmx:afterOnLoad", function () { unsent = null; say("", false); });
  window.addEventListener("offline", function () { if (one("#run")) say("offline", !!unsent); });
  window.addEventListener("online", function () { if (unsent) say("failed", true); else say("", false); });

  // A fresh stage --------------------------------------------------------------------------------

  var settling = false;

  document.addEventListener("htmx:afterSwap", function () {
    swapped = true;
    picked = null;
    settling = true;
  });
  document.addEventListener("htmx:afterSettle", function () {
    window.setTimeout(function () { settling = false; });
    if (looked) look(looked);
  });
  document.addEventListener("DOMContentLoaded", function () { if (window.htmx) window.htmx.config.timeout = PATIENCE; });
})();
