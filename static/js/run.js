// Spaces on the map are links; htmx boosts no links inside a drawing, so this follows them without leaving the page.
(function () {
  "use strict";

  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest("#run svg a.target");
    if (!link || !window.htmx || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    var address = link.getAttribute("href");
    window.htmx.ajax("GET", address.split("#")[0], { target: "#run", select: "#run", swap: "outerHTML show:none" })
      .then(function () { window.history.replaceState(null, "", address); });
  });
})();
