// The stage page: choosing spaces on the map, showing cars and places, and sending failed requests again. The legal
// moves come only from the server. A game's own script may add ways to choose them.
(function () {
  "use strict";

  var PATIENCE = 20000; // milliseconds until an answer counts as lost

  function one(selector) { return document.querySelector(selector); }
  function all(selector) { return [].slice.call(document.querySelectorAll(selector)); }

  // Choosing on the map --------------------------------------------------------------------------

  function fetchPage(verb, address, values) {
    return window.htmx.ajax(verb, address.split("#")[0], {
      source: one("#run"), target: "#run", select: "#run", swap: "outerHTML show:none", values: values,
    });
  }

  // A tap on a space dispatches "fan:open". A game's script may fan out the choices there and prevent the default,
  // which is to follow the link.
  function choose(link, byKey) {
    var asked = new CustomEvent("fan:open", { bubbles: true, cancelable: true, detail: { byKey: byKey } });
    if (link.dispatchEvent(asked)) fetchPage("GET", link.getAttribute("href"));
  }

  document.addEventListener("click", function (event) {
    if (!event.target.closest || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    var link = event.target.closest("#run svg a");
    if (link && link.matches(".target") && window.htmx) {
      event.preventDefault();
      choose(link, event.detail === 0);
      return;
    }
    var car = event.target.closest("#run a[href^='#car-'], #run a[data-car]");
    var place = event.target.closest("#run a[data-place]");
    if (!car && !place) return;
    event.preventDefault();
    if (car) look({ car: car.dataset.car || car.getAttribute("href").slice("#car-".length) }, event.detail === 0);
    else look({ at: place.dataset.about || place.getAttribute("href") }, event.detail === 0 || !!place.closest(".sheet"));
  });

  // The link at the top of the panel leads to the fold with the form that hands the car over, and opens it.
  document.addEventListener("click", function (event) {
    if (event.target.closest && event.target.closest("a[href='#hand-over']")) one("#hand-over").open = true;
  });

  // The second tap of a double tap must not press what the first one brought under the finger. Two quick taps on two
  // different places both count: drivers who know the way are fast.
  var NEAR = 16; // CSS pixels
  var swapped = false, tapped = null;
  document.addEventListener("click", function (event) {
    if (!event.target.closest || !event.target.closest("#run :is(button, a.target)")) return;
    var same = tapped && Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) < NEAR;
    if (event.detail > 1 && swapped && same) { event.preventDefault(); event.stopPropagation(); return; }
    tapped = { x: event.clientX, y: event.clientY };
    swapped = false;
  }, true);

  // Waiting ---------------------------------------------------------------------------------------

  // A turn is sent once: further taps while it is under way do nothing. A wait that a person would notice is shown.
  var SOON = 300; // milliseconds
  var sent = null, shows = null; // the request of a turn that is under way; the timer of the sign

  function waits(on) {
    var sign = one("#sending");
    window.clearTimeout(shows);
    shows = on ? window.setTimeout(function () { if (sign) sign.hidden = false; }, SOON) : null;
    if (!on && sign) sign.hidden = true;
  }

  // Before htmx would give up the request that is under way.
  document.addEventListener("htmx:confirm", function (event) {
    if (sent && event.target.closest("#run")) event.preventDefault();
    // Steps do not replace a turn that waits to be sent: it is withdrawn first.
    if (!again && unsent && unsent.kept && unsent.before && event.detail.verb === "post" && /\/draft\/$/.test(event.detail.path)) {
      event.preventDefault();
      say("kept");
    }
  });
  // A turn that is pressed while a choice is under way waits for it: the form that comes with the answer holds the
  // choice, and the one on the page does not yet. A further choice withdraws the press.
  var choosing = null, held = null; // the request of the choice; the button that was pressed
  document.addEventListener("htmx:confirm", function (event) {
    var press = event.detail.triggeringEvent, form = event.target, button = press && press.submitter;
    if (!choosing || event.defaultPrevented || !button || !form.matches("#panel form:is(.thumb, .thumb > form)")) return;
    event.preventDefault();
    held = { form: form.id, name: button.name, value: button.value };
    waits(true);
  });
  function pressHeld() {
    var form = document.getElementById(held.form), was = held, same = null;
    held = null;
    var named = form ? [].filter.call(form.elements, function (each) { return each.type === "submit" && each.name === was.name; }) : [];
    named.forEach(function (each) { if (each.value === was.value) same = each; });
    if (named.length === 1 && was.name !== "do") same = named[0]; // what was chosen is the value of the button
    if (same) same.click();
  }
  document.addEventListener("htmx:beforeRequest", function (event) {
    if (!event.detail.elt.closest("#run")) return;
    choosing = event.detail.elt.matches("form:is(.thumb, .thumb > form)") ? null : event.detail.xhr;
    held = null;
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    if (event.detail.xhr !== choosing) return;
    choosing = null;
    if (held && event.detail.successful) pressHeld();
    held = null;
  });

  document.addEventListener("htmx:beforeRequest", function (event) {
    var asked = event.detail.requestConfig;
    if (!asked || asked.verb !== "post" || !event.detail.elt.closest("#run")) return;
    if (/\/turn\/$/.test(asked.path.split("?")[0])) sent = event.detail.xhr;
    waits(true);
  });
  document.addEventListener("htmx:afterRequest", function (event) {
    if (event.detail.xhr === sent) sent = null;
    if (!sent) waits(false);
  });

  // Looking at cars and places --------------------------------------------------------------------

  var looked = null; // {car: number} or {at: address}: shown again after a swap, with the new data

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
      copy.querySelectorAll("details").forEach(function (more) { more.open = true; });
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
      if (looked === what) { looked = null; say(unsent && unsent.kept && !unsent.refused ? "kept" : navigator.onLine ? "failed" : "offline"); }
    });
  }

  document.addEventListener("map:look", function (event) {
    var at = event.target.dataset.at, point = event.detail;
    look({ at: at + "?x=" + point.x.toFixed(1) + "&y=" + point.y.toFixed(1) });
  });

  // Keys. A game's own script handles its keys first, and leaves all others to this one.

  function roller() { return one("#panel form:is(.thumb, .thumb > form, .actions):not(#draft) .button"); }

  function press(key) {
    if (key === "r" && roller()) { roller().focus({ preventScroll: true }); roller().scrollIntoView({ block: "nearest" }); }
    else if (key === "i") inspect();
    else if (key === "?") { var keys = one("#keys"); keys.open = !keys.open; keys.querySelector("summary").focus(); }
    else if (key === "Escape" && sheet() && !sheet().hidden) { close(); (one("figure.map.full") || one("#panel a, #panel button")).focus({ preventScroll: true }); }
    else return false;
    return true;
  }

  function inspect() {
    var focused = document.activeElement.closest && document.activeElement.closest("svg a.target");
    var asked = new CustomEvent("run:look", { detail: { space: focused ? focused.dataset.space : "" } });
    document.dispatchEvent(asked); // a game's script may set the space that is chosen in it
    var map = one("figure.map.full"), own = one("#run svg a.car.mine") || one("#run svg a.car");
    if (asked.detail.space) look({ at: map.dataset.at + encodeURIComponent(asked.detail.space) + "/" }, true);
    else if (own) look({ car: own.getAttribute("href").slice("#car-".length) }, true);
  }

  document.addEventListener("keydown", function (event) {
    if (!one("#run") || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (event.key === "Enter" && event.repeat) { event.preventDefault(); return; } // a held key sends one order only
    var here = event.target, arrow = /^Arrow/.test(event.key);
    if (here.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
    if (event.repeat && !arrow) return;
    if (arrow && (event.shiftKey || here.closest(".log, .sheet, summary"))) return;
    var key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (press(key)) { event.preventDefault(); return; }
    var map = one("figure.map.full");
    if (map && map.view && here !== map && !arrow) map.view.key(event);
  });

  // Requests without an answer --------------------------------------------------------------------

  // The last request without an answer, to be sent again unchanged. A post is also stored in this browser (kept.js): it
  // is sent by itself, once, when the connection is back and this page is open. The service knows it by its key.
  var unsent = null;
  var again = false; // whether the request under way sends `unsent`

  function here() { return window.location.pathname.replace(/^(\/runs\/[^/]+\/).*/, "$1"); }
  function store(order) { return !!window.unsentOrders && window.unsentOrders.store(here(), order); }

  function say(when) {
    var box = one("#lost");
    if (!box) return;
    all("#lost p[data-when]").forEach(function (words) { words.hidden = words.dataset.when !== when; });
    var kept = !!when && unsent && unsent.kept && !unsent.refused ? unsent : null; // what is still to be sent
    var told = /^(kept|signed-out|refused)$/.test(when), listed = !!kept && !!kept.steps;
    var words = one("#lost .ordered"), then = one("#lost .then");
    words.hidden = !told || !!listed;
    if (told) {
      words.querySelector("strong").textContent = unsent.what;
      words.querySelector("code").textContent = unsent.plan;
    }
    if (then) { // a page without it keeps no steps
      then.textContent = kept && kept.then || "";
      then.hidden = !then.textContent;
      one("#lost [data-does=back]").hidden = !listed;
    }
    box.classList.toggle("over-map", listed);
    if (window.keptSteps) window.keptSteps.show(kept);
    var button = one("#lost [data-does=again]"), resends = !!unsent && !!when && !/^(refused|signed-out)$/.test(when);
    box.classList.toggle("again", resends || told);
    button.hidden = !resends;
    button.disabled = false;
    all("#lost [data-does=drop]").forEach(function (drop) { drop.hidden = drop.dataset.when.split(" ").indexOf(when) < 0; });
    box.hidden = !when;
  }

  function isOrder(asked) { return asked.verb === "post" && /\/(turn|draft|ahead)\/$/.test(asked.path.split(/[?#]/)[0]); }

  // The values of a form, without its token: the page from which they are sent again has its own.
  function valuesOf(form) {
    var values = {};
    form.forEach(function (value, name) {
      if (name === "csrfmiddlewaretoken") return;
      values[name] = name in values ? [].concat(values[name], value) : value;
    });
    return values;
  }

  function remember(asked) {
    if (again) return; // it is known already, with its words
    var by = asked.triggeringEvent && asked.triggeringEvent.submitter, title = one(".stagehead h1");
    var values = valuesOf(asked.formData), before = unsent && unsent.kept && !unsent.refused ? unsent : null;
    unsent = {
      verb: asked.verb.toUpperCase(), path: asked.path, values: values, what: window.keptSteps ? window.keptSteps.words(by) : "",
      plan: [values.plan, values.move].filter(Boolean).join(" "), stage: title ? title.textContent : "",
    };
    if (window.keptSteps) window.keptSteps.join(unsent, before, asked.elt && asked.elt.closest("form"));
  }

  function lost(event) {
    var asked = event.detail.requestConfig;
    if (!asked || !event.detail.elt.closest("#run")) return;
    if (asked.verb === "get" && unsent && unsent.kept) { // looking does not replace an order
      say(unsent.refused ? "refused" : "kept");
      return;
    }
    if (asked.verb === "get" && (event.defaultPrevented || !navigator.onLine)) { say("offline"); return; } // nothing to send later
    var before = unsent;
    remember(asked);
    again = false;
    if (event.type !== "htmx:responseError") unsent.kept = isOrder(asked) && store(unsent);
    else if (before && before.kept && before.steps) unsent = before; // the steps before it are still kept
    else unsent.kept = false;
    if (unsent.kept && !navigator.onLine) say("kept");
    else say(navigator.onLine ? "failed" : "offline");
  }

  function sendAgain() {
    if (!unsent || unsent.refused || sent || !window.htmx) return;
    again = true;
    fetchPage(unsent.verb, unsent.path, unsent.values);
  }

  // Sends a stored order, when the service may be there again.
  function sendStored() {
    if (!again && unsent && unsent.kept && navigator.onLine) sendAgain();
  }

  ["htmx:sendError", "htmx:timeout"].forEach(function (kind) { document.addEventListener(kind, lost); });
  document.addEventListener("htmx:responseError", function (event) {
    if (event.detail.xhr.status >= 500) lost(event);
  });
  document.addEventListener("htmx:sendAbort", function () { again = false; });

  // An answer that is no stage page, such as that for signing in, must not replace the stage.
  document.addEventListener("htmx:beforeSwap", function (event) {
    var asked = event.detail.requestConfig, answer = event.detail.xhr;
    if (!asked || !isOrder(asked) || answer.status === 204 || answer.status >= 500) return;
    if (!event.detail.elt.closest("#run") || answer.responseText.indexOf('id="run"') >= 0) return;
    event.detail.shouldSwap = false;
    remember(asked);
    unsent.kept = store(unsent);
    unsent.away = true;
  });

  document.addEventListener("click", function (event) {
    var button = event.target.closest && event.target.closest("#lost button");
    if (!button || !unsent) return;
    if (button.dataset.does === "again") { button.disabled = true; sendAgain(); return; }
    if (button.dataset.does === "back") goBack(window.keptSteps.shorter(unsent));
    else goBack(unsent.refused ? null : unsent.before);
  });

  // Withdraws the newest order. The steps that were laid before it are kept.
  function goBack(order) {
    unsent = order || null;
    store(unsent);
    say(unsent ? "kept" : "");
  }

  // Takes back a step that is not sent yet, which the service does not know.
  document.addEventListener("click", function (event) {
    var button = event.target.closest && event.target.closest("#draft button");
    if (!button || !unsent || !unsent.kept || !unsent.steps || unsent.refused) return;
    event.preventDefault();
    event.stopPropagation();
    goBack(button.value === "clear" ? null : window.keptSteps.shorter(unsent));
  }, true);

  document.addEventListener("htmx:afterOnLoad", function (event) {
    var asked = event.detail.requestConfig, status = event.detail.xhr.status;
    if (status >= 500) return; // handled above as a failed request
    var was = again;
    again = false;
    if (unsent && unsent.away) { delete unsent.away; say("signed-out"); return; }
    if (unsent && unsent.kept && (!asked || !isOrder(asked))) { if (window.keptSteps && !unsent.refused) window.keptSteps.show(unsent); return; }
    if (unsent && unsent.refused && !was) return; // it stays until it is closed
    if (was && unsent && unsent.kept && status >= 400) {
      unsent.refused = true;
      store(unsent);
      say("refused");
      return;
    }
    unsent = null;
    store(null);
    say("");
  });

  window.addEventListener("offline", function () {
    if (one("#run") && !(unsent && unsent.refused)) say(unsent && unsent.kept ? "kept" : "offline");
  });
  window.addEventListener("online", function () {
    if (unsent && unsent.refused) return;
    if (unsent) { say("failed"); sendStored(); } else say("");
  });
  document.addEventListener("service:heard", sendStored);

  function takeUp() {
    unsent = one("#run") && window.unsentOrders ? window.unsentOrders.read(here()) : null;
    if (!unsent) return;
    unsent.kept = true;
    if (unsent.refused) { say("refused"); return; }
    say("kept");
    if (!one("#seen") || one("#seen").hidden) window.setTimeout(sendStored); // a copy waits until the service is heard of
  }

  // A fresh stage --------------------------------------------------------------------------------

  document.addEventListener("htmx:afterSwap", function () { swapped = true; });
  document.addEventListener("htmx:afterSettle", function () { if (looked) look(looked); });
  document.addEventListener("DOMContentLoaded", function () {
    if (window.htmx) window.htmx.config.timeout = PATIENCE;
    takeUp();
  });
})();
