// Adds a salt to each order that draws, when its form is sent. A form that is sent again has the same salt. This
// browser remembers the salts that the server accepted, so that the proof page can look for them in the record. Salts
// of orders ahead are stored separately, because orders that are replaced or withdrawn are never driven.
(function () {
  "use strict";

  var BYTES = 16, MOST = 400;

  function fresh() {
    var bytes = new Uint8Array(BYTES);
    window.crypto.getRandomValues(bytes);
    return Array.from(bytes, function (byte) { return byte.toString(16).padStart(2, "0"); }).join("");
  }

  document.addEventListener("submit", function (event) {
    var salt = event.target.elements && event.target.elements.namedItem("salt");
    if (!salt || salt.value) return;
    var own = document.getElementById("own-salt");
    salt.value = (own && own.value.trim()) || fresh();
  }, true);

  function keep(name, salt) {
    try {
      var kept = JSON.parse(window.localStorage.getItem(name) || "[]");
      if (kept.indexOf(salt) >= 0) return;
      window.localStorage.setItem(name, JSON.stringify(kept.concat(salt).slice(-MOST)));
    } catch (refused) { /* no storage: nothing is remembered */ }
  }

  document.addEventListener("htmx:afterRequest", function (event) {
    var asked = event.detail.requestConfig, answer = event.detail.xhr;
    var sent = asked && asked.verb === "post" && /\/runs\/([^/]+)\/(turn|ahead)\/$/.exec(asked.path.split(/[?#]/)[0]);
    var salt = sent && asked.formData.get("salt");
    if (!salt || !answer || answer.status < 200 || answer.status >= 300) return;
    keep((sent[2] === "turn" ? "salts:" : "ahead:") + sent[1], salt.trim());
  });
})();
