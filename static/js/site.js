// Small improvements for pages that also work without scripts.
(function () {
  "use strict";

  // After a fragment was swapped in, an error gets the focus. Without an error, when the pressed control no longer
  // exists, the next control gets it. A page that only refreshed itself does not move the focus.
  document.addEventListener("htmx:afterSettle", function (event) {
    var place = event.detail.elt;
    if (!place || !place.querySelector) return;
    var target = place.querySelector("[aria-invalid='true'], [data-focus]");
    var asked = event.detail.requestConfig && event.detail.requestConfig.triggeringEvent;
    if (!target && asked && document.activeElement === document.body) {
      target = place.querySelector("#panel .choices :is(a, button)") || place.querySelector("#panel .button");
    }
    if (!target) return;
    if (target.tabIndex < 0 && !target.hasAttribute("tabindex")) target.setAttribute("tabindex", "-1");
    target.focus({ preventScroll: !target.matches("[aria-invalid='true'], [data-focus]") });
    // The focus does not scroll to the beginning of what is higher than the window, when the window is in its middle.
    if (target.matches("[data-focus]") && target.getBoundingClientRect().top < 0) target.scrollIntoView();
  });

  // A form is sent once: a second click within 4 seconds does nothing. Returning to the page allows it again.
  document.addEventListener("submit", function (event) {
    var form = event.target;
    if (form.method !== "post" || event.defaultPrevented) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    window.setTimeout(function () { delete form.dataset.sent; }, 4000);
  });
  window.addEventListener("pageshow", function () {
    document.querySelectorAll("form[data-sent]").forEach(function (form) { delete form.dataset.sent; });
  });

  // An error message of a busy server is shown above the page, which stays as it is. A stage shows its own (run.js).
  function tellBusy(text) {
    var box = document.getElementById("busy");
    if (!box) return;
    box.innerHTML = text;
    box.hidden = !text;
    if (text) box.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("htmx:beforeRequest", function () { tellBusy(""); });
  document.addEventListener("htmx:responseError", function (event) {
    var stage = document.getElementById("lost");
    if (event.detail.xhr.status === 503 && !(stage && event.detail.elt.closest("#run"))) {
      tellBusy(event.detail.xhr.responseText);
    }
  });

  // Boxes that scroll can be scrolled with the keyboard.
  function reachable(root) {
    root.querySelectorAll("table, .map, .log, .tabs").forEach(function (box) {
      var scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
      if (scrolls && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
    });
  }
  document.addEventListener("DOMContentLoaded", function () { reachable(document); });
  document.addEventListener("htmx:afterSettle", function () { reachable(document); });
  window.addEventListener("resize", function () { reachable(document); });

  // On a phone the tabs are one line that scrolls. It is scrolled to the tab of this page.
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".tabs ul").forEach(function (line) {
      var here = line.querySelector("[aria-current]");
      if (here && line.scrollWidth > line.clientWidth) line.scrollLeft = here.offsetLeft - line.offsetLeft - 40;
    });
  });

  // Scrolls a log to its newest line.
  function showNewest(root) {
    root.querySelectorAll(".log[data-newest='last']").forEach(function (log) { log.scrollTop = log.scrollHeight; });
  }
  document.addEventListener("DOMContentLoaded", function () { showNewest(document); });
  document.addEventListener("htmx:afterSettle", function () { showNewest(document); });
})();
