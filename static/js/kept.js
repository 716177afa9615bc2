// Registers the service worker, which keeps copies of pages for the time without a connection (kept-pages.js), and tells
// it when the copy of this page is out of date. Stores orders that are not sent yet; run.js sends them.
(function () {
  "use strict";

  var own = document.getElementById("kept").dataset;
  var NAME = "unsent:"; // and the path of the stage page
  var TURN = 10000, PLAN = 60000; // milliseconds after which a changed page is kept again
  var seen = null; // the note of a copy, when this page is one

  // Orders ----------------------------------------------------------------------------------------

  function read(path) {
    try {
      var order = JSON.parse(window.localStorage.getItem(NAME + path) || "null");
      return order && order.reader === own.reader ? order : null;
    } catch (refused) { return null; }
  }

  function store(path, order) {
    try {
      if (order) window.localStorage.setItem(NAME + path, JSON.stringify(Object.assign({ reader: own.reader }, order)));
      else window.localStorage.removeItem(NAME + path);
      return true;
    } catch (refused) { return false; /* no storage: the page remembers it while it is open */ }
  }

  function paths() {
    try {
      return Object.keys(window.localStorage).filter(function (name) { return name.indexOf(NAME) === 0; })
        .map(function (name) { return name.slice(NAME.length); });
    } catch (refused) { return []; }
  }

  window.unsentOrders = { read: read, store: store, paths: paths };

  // Another reader's orders are of no use to this one.
  paths().forEach(function (path) { if (!read(path)) store(path, null); });

  // The page of my turns names the stages whose orders are not sent.
  function nameUnsent() {
    var place = document.getElementById("unsent");
    if (!place) return;
    paths().forEach(function (path) {
      var order = read(path), link = document.createElement("a");
      if (!order || order.refused) return;
      link.href = path;
      link.textContent = order.stage || path;
      place.append(link, " ");
      place.hidden = false;
    });
  }

  // Copies ----------------------------------------------------------------------------------------

  var path = window.location.pathname, timer = null, due = false;
  var isKept = path === "/turns/" || /^\/runs\/[^/]+\/(turn\/|draft\/|ahead\/)?$/.test(path);
  path = path.replace(/^(\/runs\/[^/]+\/).*/, "$1");

  function tell(words) {
    if (!("serviceWorker" in navigator)) return;
    var worker = navigator.serviceWorker.controller;
    if (worker) worker.postMessage(words);
  }

  function keepAgain() {
    window.clearTimeout(timer);
    if (due) tell({ keep: path });
    due = false;
  }

  function changed(wait) {
    if (!isKept) return;
    window.clearTimeout(timer);
    due = true;
    timer = window.setTimeout(keepAgain, wait);
  }

  function filesOfThisPage() {
    return performance.getEntriesByType("resource").map(function (file) { return file.name; })
      .filter(function (name) { return name.indexOf(window.location.origin) === 0; });
  }

  function register() {
    if (!("serviceWorker" in navigator)) return;
    var before = !!navigator.serviceWorker.controller;
    navigator.serviceWorker.register(own.worker, { scope: "/" }).then(function () {
      return navigator.serviceWorker.ready;
    }).then(function (registration) {
      // The page that brings the worker was loaded without it.
      if (!before && isKept) registration.active.postMessage({ keep: path, files: filesOfThisPage() });
    }).catch(function () { /* no worker: pages need the connection */ });
  }

  // A copy is loaded again as soon as the service is heard of, unless orders are to be sent or something is typed.
  function back() {
    if (!seen || seen.hidden) return;
    var order = read(path), typed = [].some.call(document.querySelectorAll("#content :is(input:not([type=hidden]), textarea)"), function (field) {
      return field.matches("[type=checkbox], [type=radio]") ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
    });
    if ((!order || order.refused) && !typed) window.location.reload();
  }

  document.addEventListener("htmx:afterOnLoad", function (event) {
    var asked = event.detail.requestConfig;
    if (event.detail.xhr.status >= 500) return;
    if (seen) seen.hidden = true; // the answer is what the service shows now
    if (!asked || asked.verb !== "post" || !isKept) return;
    var plan = /\/draft\/$/.test(asked.path);
    if (!plan) tell({ forget: path });
    changed(plan ? PLAN : TURN);
  });
  document.addEventListener("service:heard", function (event) { if (event.detail.news) changed(PLAN); back(); });
  document.addEventListener("visibilitychange", function () { if (document.hidden) keepAgain(); });
  window.addEventListener("online", function () { window.setTimeout(back, 500); });
  window.addEventListener("load", register);
  document.addEventListener("DOMContentLoaded", function () {
    seen = document.getElementById("seen");
    nameUnsent();
  });
})();
