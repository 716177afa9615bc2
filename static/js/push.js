// Offers on the settings page to show notices in this browser, if the browser supports it.
(function () {
  "use strict";

  var place = document.getElementById("push");
  var offer = document.getElementById("push-offer");
  var word = document.getElementById("push-word");
  if (!place || !("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return;

  function bytesOf(text) {
    var plain = window.atob((text + "===".slice((text.length + 3) % 4)).replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(plain, function (sign) { return sign.charCodeAt(0); });
  }

  function token() {
    return document.querySelector("input[name='csrfmiddlewaretoken']").value;
  }

  function subscribe() {
    return navigator.serviceWorker.register(place.dataset.worker, { scope: "/" })
      .then(function () { return navigator.serviceWorker.ready; })
      .then(function (registration) {
        return registration.pushManager.getSubscription().then(function (old) {
          // A subscription that was made with an older key of the service would receive nothing.
          return old ? old.unsubscribe() : true;
        }).then(function () {
          return registration.pushManager.subscribe({
            userVisibleOnly: true, applicationServerKey: bytesOf(place.dataset.key)
          });
        });
      })
      .then(function (subscription) {
        return fetch(place.dataset.add, {
          method: "POST",
          credentials: "same-origin",
          headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
          body: JSON.stringify(subscription)
        });
      });
  }

  offer.hidden = false;
  offer.querySelector("button").addEventListener("click", function () {
    var button = this;
    button.disabled = true;
    Notification.requestPermission().then(function (permission) {
      if (permission !== "granted") { word.textContent = place.dataset.denied; return null; }
      return subscribe().then(function (answer) {
        if (answer.ok) { window.location.reload(); return null; }
        return answer.json().then(function (said) { word.textContent = said.message; });
      });
    }).catch(function () { word.textContent = place.dataset.failed; })
      .then(function () { button.disabled = false; });
  });
})();
