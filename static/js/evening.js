// Counts down the clocks of an evening: data-until is a moment in seconds. Without script the moment itself is shown. A
// clock that has run out stays at 0:00: the service acts, and the page hears of it. A computer whose clock is wrong
// counts by that of the service, which each answer to a poll tells.
(function () {
  "use strict";

  var SHORT = 15; // seconds from which a clock is red

  var NEAR = 2000; // milliseconds by which clocks may differ: an answer tells whole seconds, and was under way
  var apart = 0; // milliseconds that the clock of the service is ahead

  function compare(event) {
    var told = Date.parse(event.detail.date || "");
    if (isNaN(told)) return;
    apart = Math.abs(told - Date.now()) > NEAR ? told - Date.now() : 0;
  }

  function count() {
    var now = (Date.now() + apart) / 1000;
    document.querySelectorAll("[data-until]").forEach(function (clock) {
      clock.hidden = false;
      var left = Math.max(0, Math.ceil(Number(clock.dataset.until) - now));
      var seconds = left % 60;
      clock.textContent = Math.floor(left / 60) + ":" + (seconds < 10 ? "0" : "") + seconds;
      var plate = clock.closest(".deadline");
      if (plate) plate.classList.toggle("soon", left <= SHORT);
      else clock.classList.toggle("short", left <= SHORT);
    });
  }

  window.setInterval(count, 500);
  document.addEventListener("DOMContentLoaded", count);
  document.addEventListener("htmx:afterSettle", count);
  document.addEventListener("service:heard", compare);
})();
