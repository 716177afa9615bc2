// Part of the service worker: keeps copies of the pages of the reader's open turns, and shows them without a
// connection. The server says by headers which page may be kept, until when, and whose it is (kept_pages.py). Copies are
// deleted when another reader, or nobody, is signed in. Answers to posts and polls are never kept.
// RELEASE and STATIC are set in the line above the scripts.
"use strict";

var PAGES = "pages " + RELEASE, FILES = "files " + RELEASE;
var MOST = {}; // of each cache: entries of one kind, and bytes
MOST[PAGES] = { entries: 10, bytes: 1500000 };
MOST[FILES] = { entries: 150, bytes: 1500000 };
var HASHED = /\.[0-9a-f]{12}\.\w+$/; // a file whose name changes with its content
var PICTURE = /^\/land\//; // the pictures below the maps
var A_TURN = /^\/runs\/[^/]+\/$/, MY_TURNS = "/turns/", OFFLINE = "/offline/", OWNER = "/kept/reader";
var line = Promise.resolve(); // changes of the copies, one after another
var emptied = 0; // how often all copies were deleted

self.addEventListener("install", function () { self.skipWaiting(); });
self.addEventListener("activate", function (event) {
  event.waitUntil(caches.keys().then(function (names) {
    return Promise.all(names.filter(function (name) { return !MOST[name]; }).map(function (name) { return caches.delete(name); }));
  }).then(function () { return self.clients.claim(); }));
});

self.addEventListener("fetch", function (event) {
  var asked = event.request, url = new URL(asked.url);
  if (asked.method !== "GET" || url.origin !== self.location.origin) return;
  if (asked.mode === "navigate") event.respondWith(page(event, url));
  else if (url.pathname.indexOf(STATIC) === 0) event.respondWith(file(event, FILES, HASHED.test(url.pathname)));
  else if (PICTURE.test(url.pathname)) event.respondWith(file(event, PAGES, true));
});

self.addEventListener("message", function (event) {
  var said = event.data || {};
  if (said.empty) event.waitUntil(empty());
  if (said.forget) event.waitUntil(inLine(function (cache) { return cache.delete(said.forget); }));
  if (said.keep) event.waitUntil(Promise.all([keep(said.keep), keepFiles(said.files || [])]));
});

// Pages ------------------------------------------------------------------------------------------

function page(event, url) {
  var before = emptied;
  return fetch(event.request).then(function (answer) {
    event.waitUntil(noticed(url.pathname, answer, before));
    return answer;
  }, function (failure) {
    return copyOf(url.pathname).then(function (copy) { return copy || copyOf(OFFLINE); }).then(function (copy) {
      if (copy) return copy;
      throw failure;
    });
  });
}

function copyOf(path) {
  return caches.open(PAGES).then(function (cache) {
    return cache.match(path).then(function (copy) {
      if (copy && Number(copy.headers.get("Keep-Until")) * 1000 > Date.now()) return copy;
      return copy ? cache.delete(path).then(function () { return null; }) : null;
    });
  });
}

// Takes what the headers of a page from the server say. The page is read only if it may be kept.
function noticed(path, answer, before) {
  var reader = answer.headers.get("Reader");
  if (!reader) return Promise.resolve();
  var until = answer.ok && !answer.redirected && answer.headers.get("Keep-Until");
  var copy = until && (path === MY_TURNS || A_TURN.test(path)) ? answer.clone() : null;
  return inLine(function (cache) {
    return ofReader(cache, reader).then(function () {
      if (copy && before === emptied) return put(cache, path, copy);
      return A_TURN.test(path) && answer.ok ? cache.delete(path) : null;
    }).then(function () { return copy && path === MY_TURNS ? onlyOpen(cache, copy.headers.get("Open-Pages") || "") : null; });
  }).then(function () { return copy ? keepOffline(before) : null; }).catch(function () { /* no connection */ });
}

function ofReader(cache, reader) {
  return cache.match(OWNER).then(function (known) { return known ? known.text() : ""; }).then(function (known) {
    if (known === reader) return null;
    return cache.keys().then(function (all) { return Promise.all(all.map(function (each) { return cache.delete(each); })); })
      .then(function () { return reader === "nobody" ? null : cache.put(OWNER, new Response(reader)); });
  });
}

function onlyOpen(cache, open) {
  return cache.keys().then(function (all) {
    return Promise.all(all.filter(function (each) {
      var path = new URL(each.url).pathname;
      return A_TURN.test(path) && open.split(" ").indexOf(path) < 0;
    }).map(function (each) { return cache.delete(each); }));
  });
}

// The copy says when it was seen: the server has written it into the page, hidden.
function put(cache, path, answer) {
  return answer.text().then(function (text) {
    return store(cache, PAGES, path, text.replace(/(<p id="seen"[^>]*) hidden>/, "$1>"), answer);
  });
}

function keep(path) {
  if (path !== MY_TURNS && !A_TURN.test(path)) return Promise.resolve();
  var before = emptied;
  return fetch(path, { credentials: "same-origin", cache: "no-store" }).then(function (answer) {
    return noticed(path, answer, before);
  }).catch(function () { /* no connection: the old copy stays */ });
}

function keepOffline(before) {
  return copyOf(OFFLINE).then(function (known) {
    return known || fetch(OFFLINE, { credentials: "same-origin" }).then(function (answer) {
      return inLine(function (cache) {
        return answer.ok && before === emptied ? answer.text().then(function (text) { return store(cache, PAGES, OFFLINE, text, answer); }) : null;
      });
    });
  });
}

function empty() {
  emptied += 1;
  return inLine(function () { return caches.delete(PAGES); });
}

function inLine(change) {
  line = line.then(function () { return caches.open(PAGES); }).then(change).catch(function () { /* a full disk: no copy */ });
  return line;
}

// Files ------------------------------------------------------------------------------------------

// A file that never changes comes from the cache first. Others come from the server while there is a connection.
function file(event, name, first) {
  return caches.open(name).then(function (cache) {
    return cache.match(event.request).then(function (known) {
      if (known && first) return known;
      return fetch(event.request).then(function (answer) {
        if (answer.ok) event.waitUntil(keepFile(cache, name, event.request, answer.clone()));
        return answer;
      }, function (failure) { if (known) return known; throw failure; });
    });
  });
}

function keepFile(cache, name, asked, answer) {
  return answer.blob().then(function (body) { return store(cache, name, asked, body, answer); }).catch(function () { return null; });
}

// The files of a page that was loaded before the worker had begun. The browser has them still.
function keepFiles(addresses) {
  return Promise.all(addresses.slice(0, MOST[FILES].entries).map(function (address) {
    var path = new URL(address, self.location.origin).pathname;
    var name = path.indexOf(STATIC) === 0 ? FILES : PICTURE.test(path) ? PAGES : "";
    if (!name) return null;
    return caches.open(name).then(function (cache) {
      return cache.match(address).then(function (known) {
        return known || fetch(address, { credentials: "same-origin" }).then(function (answer) {
          return answer.ok ? keepFile(cache, name, address, answer) : null;
        });
      });
    }).catch(function () { return null; });
  }));
}

// The bounds -------------------------------------------------------------------------------------

function store(cache, name, key, body, answer) {
  var headers = new Headers(answer.headers), blob = new Blob([body]);
  ["Content-Encoding", "Content-Length"].forEach(function (coded) { headers.delete(coded); });
  headers.set("Kept-At", String(Date.now()));
  headers.set("Kept-Bytes", String(blob.size));
  if (!headers.has("Keep-Until")) headers.set("Keep-Until", "9999999999");
  return cache.delete(key).then(function () {
    return cache.put(key, new Response(blob, { status: 200, headers: headers }));
  }).then(function () { return trim(cache, name); });
}

// Deletes the oldest entries beyond the bounds. In the cache of pages, pictures count by their bytes only.
function trim(cache, name) {
  return cache.keys().then(function (all) {
    return Promise.all(all.map(function (each) {
      return cache.match(each).then(function (kept) {
        return kept && { key: each, at: Number(kept.headers.get("Kept-At")), bytes: Number(kept.headers.get("Kept-Bytes")) };
      });
    }));
  }).then(function (all) {
    var bytes = 0, entries = 0;
    return Promise.all(all.filter(function (each) { return each && each.at; }).sort(function (one, two) { return two.at - one.at; })
      .map(function (each) {
        var path = new URL(each.key.url).pathname;
        bytes += each.bytes;
        entries += name === FILES || A_TURN.test(path) || path === MY_TURNS ? 1 : 0;
        return bytes > MOST[name].bytes || entries > MOST[name].entries ? cache.delete(each.key) : null;
      }));
  });
}
