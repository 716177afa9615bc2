// Signing out stops notices in this browser, and deletes what it keeps for the time without a connection: the next
// person at it may be somebody else.
(function () {
  "use strict";

  var PATIENCE = 1500; // milliseconds; a slow push service must not prevent signing out

  function takenOff(form) {
    if (!("PushManager" in window)) return null;
    return navigator.serviceWorker.getRegistration("/").then(function (registration) {
      return registration ? registration.pushManager.getSubscription() : null;
    }).then(function (subscription) {
      if (!subscription) return null;
      var field = document.createElement("input");
      field.type = "hidden";
      field.name = "push_endpoint";
      field.value = subscription.endpoint;
      form.appendChild(field);
      return subscription.unsubscribe();
    });
  }

  function emptied() {
    var worker = navigator.serviceWorker.controller;
    if (worker) worker.postMessage({ empty: true });
    return window.caches.keys().then(function (names) {
      return Promise.all(names.filter(function (name) { return name.indexOf("pages ") === 0; })
        .map(function (name) { return window.caches.delete(name); }));
    });
  }

  document.addEventListener("submit", function (event) {
    var form = event.target, orders = window.unsentOrders;
    if (!form.matches("[data-sign-out]") || event.defaultPrevented) return;
    var unsent = orders ? orders.paths() : [];
    if (unsent.length && !window.confirm(form.dataset.unsent)) {
      event.preventDefault();
      return;
    }
    unsent.forEach(function (path) { orders.store(path, null); });
    if (!("serviceWorker" in navigator)) return;
    event.preventDefault();
    var late = new Promise(function (resolve) { window.setTimeout(resolve, PATIENCE); });
    var done = Promise.all([emptied(), takenOff(form)].map(function (each) {
      return Promise.resolve(each).catch(function () { return null; });
    }));
    Promise.race([done, late]).then(function () { form.submit(); });
  });
})();
