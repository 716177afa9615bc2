// Polls for new content of parts of a page: data-poll is the address, data-tag the ETag of the content shown. The
// answer 304 means nothing new. While nothing changes it polls less and less often, and not at all while the page is
// hidden. While others are present, an answer names a stream (header Live) or the page does (data-live): the page opens
// it, and asks at once when the stream says that something has changed. Without the stream it asks each second then.
(function () {
  "use strict";

  var PACES = { brisk: [6000, 30000], calm: [15000, 60000], live: [1000, 1000] }; // milliseconds between polls: shortest, longest
  var SLOWER = 1.4;
  var watched = {}; // by id, because the element itself is replaced when there is something new

  var SPREAD = 150; // milliseconds over which pages that hear of the same change ask for it
  var AGAIN = 10000; // milliseconds until a stream that was refused is opened again
  var SOON = 2000; // milliseconds until a question without an answer is asked again while others are present
  var HELD = 200; // milliseconds until it asks whether the reader has seen what moves on the page
  var stream = null, streamed = "", unstreamed = false;

  function follow(address) {
    if (!address || address === streamed || !window.EventSource) return;
    unfollow();
    streamed = address;
    open(address);
  }

  // A connection that breaks is opened again by the browser. A refusal is for good, as from a proxy whose server has
  // died: then the page asks each second, and opens the stream again later.
  function open(address) {
    var own = stream = new window.EventSource(address);
    own.onopen = function () { unstreamed = false; askAll(); };
    own.onmessage = askAll;
    own.onerror = function () {
      if (own !== stream || own.readyState !== 2) return;
      unstreamed = true;
      askAll();
      window.setTimeout(function () { if (own === stream && !document.hidden) open(address); }, AGAIN);
    };
  }

  function unfollow() {
    if (stream) stream.close();
    stream = null;
    streamed = "";
    unstreamed = false;
  }

  function beingFilledIn(part) {
    var here = document.activeElement;
    if (here && part.contains(here) && here.matches("input:not([type=hidden]), select, textarea")) return true;
    return Array.prototype.some.call(part.querySelectorAll("input:not([type=hidden]), textarea"), function (field) {
      return field.type === "checkbox" || field.type === "radio"
        ? field.checked !== field.defaultChecked
        : field.value !== field.defaultValue;
    });
  }

  function say(words) {
    var place = document.getElementById("news");
    if (place && words) place.textContent = words;
  }

  function retitle() {
    var badge = document.getElementById("waiting");
    var count = badge ? Number(badge.dataset.count || 0) : 0;
    document.title = (count ? "(" + count + ") " : "") + document.title.replace(/^\(\d+\) /, "");
  }

  // Returns a function that restores the reader's place in the new part: focus, open details, horizontal scroll.
  function whereTheReaderIs(part) {
    var here = part.contains(document.activeElement) ? document.activeElement : null;
    var like = here && !here.id && here.matches("a[href], button, summary")
      ? { tag: here.tagName, href: here.getAttribute("href"), says: here.textContent.trim() } : null;
    var folds = Array.prototype.map.call(part.querySelectorAll("details"), function (fold) { return fold.open; });
    var boxes = Array.prototype.map.call(part.querySelectorAll(".scroll"), function (box) { return box.scrollLeft; });
    return function (fresh) {
      if (!fresh) return;
      var details = fresh.querySelectorAll("details");
      if (details.length === folds.length) details.forEach(function (fold, place) { fold.open = folds[place]; });
      var scrolled = fresh.querySelectorAll(".scroll");
      if (scrolled.length === boxes.length) scrolled.forEach(function (box, place) { box.scrollLeft = boxes[place]; });
      if (!like) return;
      var same = Array.prototype.find.call(fresh.querySelectorAll(like.tag), function (one) {
        return one.getAttribute("href") === like.href && one.textContent.trim() === like.says;
      });
      if (same) same.focus({ preventScroll: true });
    };
  }

  function put(part, text) {
    var fresh = new DOMParser().parseFromString(text, "text/html").getElementById(part.id);
    if (!fresh) return;
    var before = Number(part.dataset.count || 0);
    var words = fresh.dataset.news;
    if (part.id === "waiting") {
      part.replaceWith(document.importNode(fresh, true));
      if (Number(fresh.dataset.count || 0) > before) say(fresh.querySelector(".visually-hidden").textContent);
    } else {
      var again = whereTheReaderIs(part);
      if (part.id === "run") document.dispatchEvent(new CustomEvent("service:news"));
      var keepsTitle = /ignoreTitle:true/.test(part.getAttribute("hx-swap") || ""); // the talk beside a run keeps the run's
      window.htmx.swap(part, text, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0, ignoreTitle: keepsTitle },
        { select: "#" + part.id, selectOOB: "#waiting", contextElement: part });
      again(document.getElementById(part.id));
      say(words);
    }
    retitle();
  }

  // Whether something moves on the page that news would cut off, or tell before it is seen (drive.js, since.js).
  function isMoving() { return !!document.querySelector("html.unseen, .map.film"); }

  function watch(id) {
    var pace = null, wait = 0, timer = null, asking = null, again = false;

    function later(by) {
      window.clearTimeout(timer);
      timer = document.hidden ? null : window.setTimeout(ask, by);
    }

    function ask() {
      var part = document.getElementById(id);
      if (asking || document.hidden) return;
      if (id === "run" && isMoving()) { later(HELD); return; }
      if (!part || !part.dataset.poll) { delete watched[id]; return; }
      var tag = part.dataset.tag, date = null;
      asking = new AbortController();
      fetch(part.dataset.poll, {
        headers: { "If-None-Match": tag, "HX-Request": "true", "HX-Target": part.id }, cache: "no-store", credentials: "same-origin", signal: asking.signal,
      }).then(function (answer) {
        if (id === "run") { if (answer.headers.get("Live")) follow(answer.headers.get("Live")); else if ((answer.ok || answer.status === 304) && !document.querySelector("[data-live]")) unfollow(); }
        date = answer.headers.get("Date");
        if (answer.status === 304) return null;
        if (answer.redirected || (answer.status >= 400 && answer.status < 500)) {
          delete watched[id]; // signed out, or the content was deleted: stop polling
          throw answer;
        }
        if (answer.status >= 500 && streamed) throw answer; // a change may be behind it
        return answer.ok ? answer.text() : null;
      }).then(function (text) {
        asking = null;
        if (again) { again = false; window.setTimeout(ask, 0); }
        document.dispatchEvent(new CustomEvent("service:heard", { detail: { news: !!text, date: date } }));
        var busy = text && (part !== document.getElementById(id) || part.dataset.tag !== tag
          || part.classList.contains("htmx-request") || part.querySelector(".htmx-request, .map.moving"));
        wait = unstreamed ? PACES.live[0] : busy ? SOON : text ? pace[0] : Math.min(pace[1], wait * SLOWER);
        if (text && !busy && !beingFilledIn(part)) put(part, text);
        later(wait);
      }).catch(function () {
        asking = null;
        wait = streamed ? SOON : pace[1];
        if (watched[id]) later(wait);
      });
    }

    return {
      begin: function (part) {
        pace = PACES["calm" in part.dataset ? "calm" : "brisk"];
        wait = pace[0];
        later(wait);
      },
      now: function () { if (asking) again = true; else later(Math.random() * SPREAD); },
      soon: function () { wait = pace[0]; if (!asking) later(wait); },
      wake: function () { wait = pace[0]; if (document.hidden) later(wait); else ask(); },
    };
  }

  function attend() {
    document.querySelectorAll("[data-poll][id]").forEach(function (part) {
      if (watched[part.id]) { watched[part.id].soon(); return; }
      watched[part.id] = watch(part.id);
      watched[part.id].begin(part);
    });
    var live = document.querySelector("[data-live]");
    if (live && !document.hidden) follow(live.dataset.live);
  }

  function askAll() { Object.keys(watched).forEach(function (id) { watched[id].now(); }); }
  function hide() { if (document.hidden) unfollow(); else attend(); }
  document.addEventListener("visibilitychange", hide);
  window.addEventListener("pagehide", unfollow);

  function wakeAll() { Object.keys(watched).forEach(function (id) { watched[id].wake(); }); }
  document.addEventListener("DOMContentLoaded", attend);
  document.addEventListener("htmx:afterSettle", attend);
  document.addEventListener("visibilitychange", wakeAll);
  window.addEventListener("online", wakeAll);
  window.addEventListener("pageshow", function (event) { if (event.persisted) wakeAll(); });
})();
