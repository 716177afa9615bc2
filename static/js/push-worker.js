// Shows a notice that is pushed to this browser, and opens its page on a click. Stores nothing and fetches nothing.
"use strict";

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
