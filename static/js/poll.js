// Polls for new content of parts of a page: data-poll is the address, data-tag the ETag of the content shown. The
// answer 304 means nothing new. While nothing changes it polls less and less often, and not at all while the page is
// hidden.
(function () {
  "use strict";

  var PACES = { brisk: [6000, 30000], calm: [15000, 60000] }; // milliseconds between polls: shortest, longest
  var SLOWER = 1.4;
  var watched = {}; // by id, because the element itself is replaced when there is something new

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
      window.htmx.swap(part, text, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0 },
        { select: "#" + part.id, selectOOB: "#waiting", contextElement: part });
      again(document.getElementById(part.id));
      say(words);
    }
    retitle();
  }

  function watch(id) {
    var pace = null, wait = 0, timer = null, asking = null;

    function later(by) {
      window.clearTimeout(timer);
      timer = document.hidden ? null : window.setTimeout(ask, by);
    }

    function ask() {
      var part = document.getElementById(id);
      if (asking || document.hidden) return;
      if (!part || !part.dataset.poll) { delete watched[id]; return; }
      var tag = part.dataset.tag;
      asking = new AbortController();
      fetch(part.dataset.poll, {
        headers: { "If-None-Match": tag, "HX-Request": "true", "HX-Target": part.id }, cache: "no-store", credentials: "same-origin", signal: asking.signal,
      }).then(function (answer) {
        if (answer.status === 304) return null;
        if (answer.redirected || (answer.status >= 400 && answer.status < 500)) {
          delete watched[id]; // signed out, or the content was deleted: stop polling
          throw answer;
        }
        return answer.ok ? answer.text() : null;
      }).then(function (text) {
        asking = null;
        document.dispatchEvent(new CustomEvent("service:heard", { detail: { news: !!text } }));
        var busy = text && (part !== document.getElementById(id) || part.dataset.tag !== tag
          || part.classList.contains("htmx-request") || part.querySelector(".htmx-request, .map.moving"));
        wait = text ? pace[0] : Math.min(pace[1], wait * SLOWER);
        if (text && !busy && !beingFilledIn(part)) put(part, text);
        later(wait);
      }).catch(function () {
        asking = null;
        wait = pace[1];
        if (watched[id]) later(wait);
      });
    }

    return {
      begin: function (part) {
        pace = PACES["calm" in part.dataset ? "calm" : "brisk"];
        wait = pace[0];
        later(wait);
      },
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
  }

  function wakeAll() { Object.keys(watched).forEach(function (id) { watched[id].wake(); }); }
  document.addEventListener("DOMContentLoaded", attend);
  document.addEventListener("htmx:afterSettle", attend);
  document.addEventListener("visibilitychange", wakeAll);
  window.addEventListener("online", wakeAll);
  window.addEventListener("pageshow", function (event) { if (event.persisted) wakeAll(); });
})();
