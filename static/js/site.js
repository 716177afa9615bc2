// Small comforts on top of pages that work without script.
(function () {
  "use strict";

  // After a fragment was swapped in: what went wrong gets the focus; else, where the pressed control is gone,
  // the next thing to press. A page that only refreshed itself leaves the focus alone.
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
  });

  // A form is sent once: a second click on its way does nothing. Coming back to the page frees it again.
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

  // What waited too long on the server is told above the page, which stays as it is. A stage tells it itself (run.js).
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

  // What scrolls sideways can be scrolled from the keyboard.
  function reachable(root) {
    root.querySelectorAll("table, .map, .log, .tabs").forEach(function (box) {
      var scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
      if (scrolls && !box.hasAttribute("tabindex")) box.setAttribute("tabindex", "0");
    });
  }
  document.addEventListener("DOMContentLoaded", function () { reachable(document); });
  document.addEventListener("htmx:afterSettle", function () { reachable(document); });
  window.addEventListener("resize", function () { reachable(document); });

  // On a phone tabs are one line that scrolls: the page's own is in sight.
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".tabs ul").forEach(function (line) {
      var here = line.querySelector("[aria-current]");
      if (here && line.scrollWidth > line.clientWidth) line.scrollLeft = here.offsetLeft - line.offsetLeft - 40;
    });
  });

  // The newest line of a log is in sight.
  function showNewest(root) {
    root.querySelectorAll(".log[data-newest='last']").forEach(function (log) { log.scrollTop = log.scrollHeight; });
  }
  document.addEventListener("DOMContentLoaded", function () { showNewest(document); });
  document.addEventListener("htmx:afterSettle", function () { showNewest(document); });
})();
