// Keeps the stage page at its scroll position while parts of it are replaced. The style sheet turns off the browser's
// scroll anchoring: htmx inserts the new part before it removes the old one, and the anchoring would scroll the page
// down by the height of the new part.
(function () {
  "use strict";

  var side = 0; // scroll position of the panel beside the map
  var seen = false; // whether the stage reached below the middle of the window before it was replaced
  var ended = false; // whether the end of the driver's own drive, or of a scene, was on the page before

  function one(selector) { return document.querySelector(selector); }

  // When a page gets shorter, the browser would move the visible part. So the page keeps its height down to the
  // window's lower edge until the reader scrolls up.
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

  // When the rest of the stage ends above the middle of the window, the reader would see almost nothing: scroll back to
  // the panel. A reader who was already below the stage stays there.
  function backToPanel() {
    var panel = one("#panel");
    if (!seen || !one("#run") || !panel || reachesDown()) return;
    one("main").style.minHeight = "";
    panel.scrollIntoView();
  }

  // The end of one's own drive comes once. A reader who was farther down would miss it: scroll up to it.
  function end() { return one("#panel .verdict, #panel .finish:has(.own)"); }
  function toTheEnd() {
    if (ended || !seen || !end()) return;
    one("#panel").scrollIntoView(); // what was rolled last may come before it
  }

  function note() { seen = reachesDown(); ended = Boolean(end()); }

  document.addEventListener("scroll", function (event) {
    if (event.target === document) keepRoom();
    else if (event.target.matches && event.target.matches(".stage-side")) side = event.target.scrollTop;
  }, { capture: true, passive: true });

  // Only without scripts an address scrolls to its anchor. A swap ignores the anchor.
  document.addEventListener("htmx:beforeSwap", function (event) {
    note();
    if (event.detail.target && event.detail.target.id === "run" && event.detail.pathInfo) event.detail.pathInfo.anchor = null;
  });

  document.addEventListener("service:news", note); // poll.js: news of this page comes next

  document.addEventListener("htmx:afterSwap", function () {
    var panel = one(".stage-side");
    if (panel && panel.scrollTop !== side) panel.scrollTop = side;
    backToPanel();
    toTheEnd();
    note();
  });
})();
