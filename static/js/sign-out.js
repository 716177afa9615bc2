// Signing out stops notices in this browser: the next person at it may be somebody else.
(function () {
  "use strict";

  var PATIENCE = 1500; // milliseconds; a slow push service must not prevent signing out

  function takenOff(form) {
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

  document.addEventListener("submit", function (event) {
    var form = event.target;
    if (!form.matches("[data-sign-out]") || event.defaultPrevented) return;
    if (!("serviceWorker" in navigator) || !("PushManager" in window)) return;
    event.preventDefault();
    var late = new Promise(function (resolve) { window.setTimeout(resolve, PATIENCE); });
    Promise.race([takenOff(form), late]).catch(function () { return null; }).then(function () { form.submit(); });
  });
})();
