// The stage page stays where it is under the finger while parts of it are replaced. The style sheet turns the
// browser's scroll anchoring off: htmx puts the new part in before it takes the old one out, and the anchor would
// carry the page as far down as the new part is high.
(function () {
  "use strict";

  var side = 0; // how far the panel of a desk is scrolled
  var seen = false; // whether the stage reached below the middle of the window before it was replaced

  function one(selector) { return document.querySelector(selector); }

  // A page that grows shorter would pull up what is in sight: what lies above the window's lower edge keeps its room
  // until the reader scrolls up.
  function keepRoom() {
    var main = one("main");
    if (!main || !one("#run")) return;
    var box = main.getBoundingClientRect(), behind = document.documentElement.scrollHeight - window.scrollY - box.bottom;
    main.style.minHeight = Math.max(0, Math.floor(window.innerHeight - box.top - behind)) + "px";
  }

  function reachesDown() {
    var run = one("#run");
    return Boolean(run) && run.getBoundingClientRect().bottom > window.innerHeight / 2;
  }

  // Where all that is left ends above the middle of the window, the reader would look at nothing: back to the panel.
  // A reader who was below the stage already stays there.
  function backToPanel() {
    var panel = one("#panel");
    if (!seen || !one("#run") || !panel || reachesDown()) return;
    one("main").style.minHeight = "";
    panel.scrollIntoView();
  }

  document.addEventListener("scroll", function (event) {
    if (event.target === document) keepRoom();
    else if (event.target.matches && event.target.matches(".stage-side")) side = event.target.scrollTop;
  }, { capture: true, passive: true });

  // Without script an address leads to its fragment; in place nobody goes anywhere.
  document.addEventListener("htmx:beforeSwap", function (event) {
    seen = reachesDown();
    if (event.detail.target && event.detail.target.id === "run" && event.detail.pathInfo) event.detail.pathInfo.anchor = null;
  });

  document.addEventListener("htmx:afterSwap", function () {
    var panel = one(".stage-side");
    if (panel && panel.scrollTop !== side) panel.scrollTop = side;
    backToPanel();
  });
})();
