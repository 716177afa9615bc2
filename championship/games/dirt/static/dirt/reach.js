// A tap on a far space of the map lays the likely dice up to it, while a plan is laid. Where no plan leads there, the
// tap shows the place, as everywhere else. A long press, and the button that looks at spaces, only ever show it.
(function () {
  "use strict";

  var waiting = null; // the tap whose answer is awaited: its figure and its point
  var shown = null; // the event that shows the place after all

  function form() {
    var moves = document.getElementById("moves");
    return moves && moves.getClientRects().length ? moves : null;
  }

  document.addEventListener("map:look", function (event) {
    var laying = form(), figure = event.target, point = event.detail;
    if (event === shown || !laying || point.held || !window.htmx || figure.classList.contains("looking")) return;
    event.stopImmediatePropagation();
    var values = { to: point.x.toFixed(1) + "," + point.y.toFixed(1) };
    new FormData(laying).forEach(function (value, name) { values[name] = value; });
    waiting = { figure: figure, point: point };
    window.htmx.ajax("POST", laying.getAttribute("action"), {
      source: document.getElementById("run"), target: "#run", select: "#run", swap: "outerHTML show:none", values: values,
    });
  }, true);

  document.addEventListener("htmx:beforeSwap", function (event) {
    var asked = waiting;
    waiting = null;
    if (!asked || event.detail.xhr.status !== 204) return;
    shown = new CustomEvent("map:look", { bubbles: true, detail: asked.point });
    asked.figure.dispatchEvent(shown);
  });
})();
