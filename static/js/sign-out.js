// Signing out takes this browser off those that show one's notices: somebody else may sit here next.
(function () {
  "use strict";

  var PATIENCE = 1500; // milliseconds; a push service that is slow keeps nobody signed in

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
