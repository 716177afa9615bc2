// Shows a notice that is pushed to this browser, and opens its page on a click. When the browser renews its
// subscription, tells the service the new one. The other part of the service worker is kept-pages.js.
"use strict";

var SETTINGS = "/me/notices/";
var ADD = "/me/notices/browsers/";
var RENEW = "/me/notices/browsers/renewed/";

self.addEventListener("push", function (event) {
  var told = {};
  try { told = event.data ? event.data.json() : {}; } catch (error) { told = {}; }
  event.waitUntil(self.registration.showNotification(told.title || "Parc Fermé", {
    body: told.body || "",
    tag: told.tag || undefined, // a second copy replaces the first one
    lang: told.lang || undefined,
    icon: "/static/icons/icon-192.png",
    data: { path: told.path || "/" }
  }));
});

self.addEventListener("notificationclick", function (event) {
  event.notification.close();
  var page = new URL(event.notification.data.path, self.location.origin);
  if (page.origin !== self.location.origin) return;
  event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(function (pages) {
    var open = pages.find(function (candidate) { return candidate.url === page.href; });
    return open ? open.focus() : self.clients.openWindow(page.href);
  }));
});

self.addEventListener("pushsubscriptionchange", function (event) {
  event.waitUntil(renewed(event.oldSubscription, event.newSubscription));
});

// The old subscription contains a secret by which the service knows this browser, also when nobody is signed in.
function renewed(old, fresh) {
  if (!old) return renewedBySession(fresh);
  return subscribed(fresh, old.options && old.options.applicationServerKey).then(function (subscription) {
    return post(RENEW, { old: old, new: subscription }, {});
  });
}

// Some browsers do not say what the old subscription was. Then the person has to be signed in, and the settings page
// has the token and the key. Without them the page is that for signing in.
function renewedBySession(fresh) {
  return fetch(SETTINGS, { credentials: "same-origin" }).then(function (answer) {
    return answer.text();
  }).then(function (page) {
    var token = /name="csrfmiddlewaretoken" value="(\w+)"/.exec(page);
    var key = /data-key="([\w-]+)"/.exec(page);
    if (!token || !key) return null;
    return subscribed(fresh, key[1]).then(function (subscription) {
      var told = JSON.parse(JSON.stringify(subscription));
      return post(ADD, { endpoint: told.endpoint, keys: told.keys, renewed: true }, { "X-CSRFToken": token[1] });
    });
  });
}

function subscribed(fresh, key) {
  if (fresh) return Promise.resolve(fresh);
  return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

function post(address, told, headers) {
  return fetch(address, {
    method: "POST",
    credentials: "same-origin",
    headers: Object.assign({ "Content-Type": "application/json" }, headers),
    body: JSON.stringify(told)
  });
}
