// Polls for new content of parts of a page: data-poll is the address, data-tag the ETag of the content shown. The
// answer 304 means nothing new. While nothing changes it polls less and less often, and not at all while the page is
// hidden. While others are present, an answer names a stream (header Live) or the page does (data-live): the page opens
// it, and asks at once when the stream says that something has changed. Without the stream it asks each second then.
// News waits while it would take something from the reader: an animation, a press, a field that is being filled in.
// Elements with data-beside and an id are put in beside such a field.
(function () {
  "use strict";

  var PACES = { brisk: [6000, 30000], calm: [15000, 60000], live: [1000, 1000] }; // milliseconds between polls: shortest, longest
  var SLOWER = 1.4;
  var watched = {}; // by id, because the element itself is replaced when there is something new

  var SPREAD = 150; // milliseconds over which pages that hear of the same change ask for it
  var AGAIN = 10000; // milliseconds until a stream that was refused is opened again
  var SOON = 2000; // milliseconds until a question without an answer is asked again while others are present
  var LOOK = 200; // milliseconds between two looks whether the reader is free for news that is here
  var LEFT = 1000; // milliseconds from leaving a field to asking for what has waited: the press that left it comes first
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

  // A press that began on an element must end on it, so nothing is replaced under a finger.
  var pressed = false;
  document.addEventListener("pointerdown", function (event) { pressed = event.button === 0; }, true);
  ["pointerup", "pointercancel"].forEach(function (kind) {
    document.addEventListener(kind, function () { window.setTimeout(function () { pressed = false; }, LOOK); }, true); // after its click
  });

  // Whether something moves or is under way that an update would cut short. The mark "unseen" is that of
  // drive.js, which shows what has just been rolled; "film" is that of since.js.
  function isBusy(part) {
    return pressed || document.documentElement.classList.contains("unseen")
      || part.classList.contains("htmx-request") || !!part.querySelector(".htmx-request, .map.moving, .map.film");
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

  function nameOf(fold) { return fold.id || (fold.querySelector("summary") || fold).textContent.trim(); }

  // Returns a function that restores the reader's place in the new part: focus, open details, horizontal scroll, the sheet.
  function whereTheReaderIs(part) {
    var here = part.contains(document.activeElement) ? document.activeElement : null;
    var like = here && !here.id && here.matches("a[href], button, summary")
      ? { tag: here.tagName, href: here.getAttribute("href"), says: here.textContent.trim() } : null;
    var folds = Array.prototype.map.call(part.querySelectorAll("details"), function (fold) { return { name: nameOf(fold), open: fold.open }; });
    var boxes = Array.prototype.map.call(part.querySelectorAll(".scroll"), function (box) { return box.scrollLeft; });
    var sheet = part.querySelector(".sheet[id]:not([hidden])"); // what the reader looks at stays until it is read anew
    var seen = sheet && Array.prototype.slice.call(sheet.childNodes), inSheet = !!sheet && sheet.contains(here);
    return function (fresh) {
      if (!fresh) return;
      var details = fresh.querySelectorAll("details");
      details.forEach(function (fold, place) {
        var was = details.length === folds.length ? folds[place]
          : folds.find(function (each) { return each.name === nameOf(fold); });
        if (was) fold.open = was.open;
      });
      var scrolled = fresh.querySelectorAll(".scroll");
      if (scrolled.length === boxes.length) scrolled.forEach(function (box, place) { box.scrollLeft = boxes[place]; });
      var shows = sheet && document.getElementById(sheet.id);
      if (shows && shows.hidden) { shows.append.apply(shows, seen); shows.hidden = false; }
      if (shows && inSheet) shows.focus({ preventScroll: true });
      if (!like || inSheet) return;
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
        { select: "#" + part.id, selectOOB: document.getElementById("waiting") ? "#waiting" : "", contextElement: part });
      again(document.getElementById(part.id));
      say(words);
    }
    retitle();
  }

  // Puts in what is new beside a field that is being filled in. The part keeps its tag: the rest is still to come.
  function putBeside(part, text) {
    var fresh = new DOMParser().parseFromString(text, "text/html"), put = false;
    part.querySelectorAll("[data-beside][id]").forEach(function (old) {
      var found = fresh.getElementById(old.id);
      if (!found || beingFilledIn(old) || found.textContent === old.textContent) return;
      var again = whereTheReaderIs(old), inserted = document.importNode(found, true);
      old.replaceWith(inserted);
      window.htmx.process(inserted);
      again(inserted);
      put = true;
    });
    var news = fresh.getElementById(part.id);
    if (put) say(news && news.dataset.news);
  }

  function watch(id) {
    var pace = null, wait = 0, timer = null, asking = null, again = false;
    var holding = null; // the timer of news that is here and waits
    var behind = false; // whether news has waited for a field

    function later(by) {
      window.clearTimeout(timer);
      timer = document.hidden ? null : window.setTimeout(ask, by);
    }

    function ask() {
      var part = document.getElementById(id);
      if (asking || document.hidden) return;
      if (!part || !part.dataset.poll) { delete watched[id]; return; }
      window.clearTimeout(holding);
      var tag = part.dataset.tag, date = null;
      asking = new AbortController();
      fetch(part.dataset.poll, {
        headers: { "If-None-Match": tag, "HX-Request": "true", "HX-Target": part.id }, cache: "no-store", credentials: "same-origin", signal: asking.signal,
      }).then(function (answer) {
        // What the page names comes first: a header may still name the stream of a run that is over by now.
        if (id === "run" && !document.querySelector("[data-live]")) {
          if (answer.headers.get("Live")) follow(answer.headers.get("Live"));
          else if (answer.ok || answer.status === 304) unfollow();
        }
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
        wait = unstreamed ? PACES.live[0] : text ? pace[0] : Math.min(pace[1], wait * SLOWER);
        later(wait);
        behind = false;
        if (text) whenFree(part, tag, text);
      }).catch(function () {
        asking = null;
        wait = streamed ? SOON : pace[1];
        if (watched[id]) later(wait);
      });
    }

    function whenFree(part, tag, text) {
      if (part !== document.getElementById(id) || part.dataset.tag !== tag) return; // an answer to the reader is newer
      if (isBusy(part)) { holding = window.setTimeout(whenFree, LOOK, part, tag, text); return; }
      behind = beingFilledIn(part);
      if (behind) putBeside(part, text); else put(part, text);
    }

    return {
      left: function () { if (behind && !asking) later(LEFT); },
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
    else if (!document.querySelector("#run[data-poll]")) unfollow(); // of a run that polls, the next answer tells
  }

  function askAll() { Object.keys(watched).forEach(function (id) { watched[id].now(); }); }
  function hide() { if (document.hidden) unfollow(); else attend(); }
  document.addEventListener("focusout", function () { Object.keys(watched).forEach(function (id) { watched[id].left(); }); });
  document.addEventListener("visibilitychange", hide);
  window.addEventListener("pagehide", unfollow);

  function wakeAll() { Object.keys(watched).forEach(function (id) { watched[id].wake(); }); }
  document.addEventListener("DOMContentLoaded", attend);
  document.addEventListener("htmx:afterSettle", attend);
  document.addEventListener("visibilitychange", wakeAll);
  window.addEventListener("online", wakeAll);
  // A page to which somebody goes back is the one of then, from the browser's memory.
  function isOld(event) {
    var came = window.performance && performance.getEntriesByType && performance.getEntriesByType("navigation")[0];
    return event.persisted || Boolean(came) && came.type === "back_forward";
  }
  window.addEventListener("pageshow", function (event) { if (isOld(event)) wakeAll(); });
})();
