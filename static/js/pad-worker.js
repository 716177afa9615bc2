// The service worker of pads: shows the last copy of a pad and its files where there is no network. It keeps nothing but
// pages below /pad/ and static files, and no answer to a post. RELEASE and STATIC are set in the line above.
"use strict";

var KEPT = "pads " + RELEASE, MOST = 120, PATIENCE = 4000; // entries; milliseconds for a page while a copy is there
var HASHED = /\.[0-9a-f]{12}\.\w+$/, A_PAD = /^\/pad\/[^/]+\/$/;

self.addEventListener("install", function () { self.skipWaiting(); });
self.addEventListener("activate", function (event) {
  event.waitUntil(caches.keys().then(function (names) {
    return Promise.all(names.filter(function (name) { return name.indexOf("pads ") === 0 && name !== KEPT; }).map(function (name) { return caches.delete(name); }));
  }).then(function () { return self.clients.claim(); }));
});

self.addEventListener("fetch", function (event) {
  var asked = event.request, url = new URL(asked.url);
  if (asked.method !== "GET" || url.origin !== self.location.origin) return;
  if (asked.mode === "navigate" && A_PAD.test(url.pathname)) event.respondWith(fresh(event, url.pathname));
  else if (url.pathname.indexOf(STATIC) === 0) event.respondWith(file(event, HASHED.test(url.pathname)));
});

self.addEventListener("message", function (event) {
  var said = event.data || {};
  if (!said.keep || !A_PAD.test(said.keep)) return;
  event.waitUntil(caches.open(KEPT).then(function (cache) {
    var wanted = [said.keep].concat((said.files || []).filter(function (name) { return new URL(name).pathname.indexOf(STATIC) === 0; }));
    return Promise.all(wanted.slice(0, MOST).map(function (name) {
      return cache.match(name).then(function (known) { return known ? null : cache.add(name); }).catch(function () { return null; });
    }));
  }));
});

// A pad comes from the server; from the copy when there is no network, or none that answers in time.
function fresh(event, path) {
  return caches.open(KEPT).then(function (cache) {
    return cache.match(path).then(function (copy) {
      var asked = fetch(event.request).then(function (answer) {
        if (answer.ok && !answer.redirected) event.waitUntil(cache.put(path, answer.clone()).then(function () { return trim(cache); }));
        if (answer.status === 404) event.waitUntil(cache.delete(path));
        return answer;
      });
      if (!copy) return asked;
      var late = new Promise(function (resolve) { setTimeout(function () { resolve(copy); }, PATIENCE); });
      return Promise.race([asked.catch(function () { return copy; }), late]);
    });
  });
}

function file(event, first) {
  return caches.open(KEPT).then(function (cache) {
    return cache.match(event.request).then(function (known) {
      if (known && first) return known;
      return fetch(event.request).then(function (answer) {
        if (answer.ok) event.waitUntil(cache.put(event.request, answer.clone()));
        return answer;
      }, function (failure) { if (known) return known; throw failure; });
    });
  });
}

function trim(cache) {
  return cache.keys().then(function (all) {
    return Promise.all(all.slice(0, Math.max(0, all.length - MOST)).map(function (key) { return cache.delete(key); }));
  });
}
