// A gear or an end that is chosen without a connection: the button at the thumb takes it. Its chances come with the
// connection, so those of the earlier choice are removed.
(function () {
  "use strict";

  function one(selector) { return document.querySelector(selector); }

  // The link of the panel with the address that was asked for. The map has the same addresses.
  function linkTo(path) {
    var asked = path.split("#")[0].split("?")[1];
    return [].find.call(document.querySelectorAll("#panel a[data-gear], #panel a[data-plan]"), function (link) {
      return asked && link.getAttribute("href").split("?")[1] === asked;
    });
  }

  function take(link) {
    var form = one("#drive"), button = form && form.querySelector(".button:not(.quiet)"), said = link.cloneNode(true);
    if (!button) return;
    said.querySelectorAll(".visually-hidden, .fd-die").forEach(function (part) { part.remove(); });
    if (link.dataset.plan) form.querySelector("[name=plan]").value = link.dataset.plan;
    else {
      button.value = link.dataset.gear;
      button.querySelector("span").textContent = form.dataset.roll.replace("{}", link.dataset.gear);
    }
    button.querySelector("small").textContent = said.textContent.replace(/\s+/g, " ").trim();
    button.classList.toggle("danger", !!link.closest(".over"));
    document.querySelectorAll("#panel [data-gear][aria-current], #panel [data-plan][aria-current]").forEach(function (old) { old.removeAttribute("aria-current"); });
    link.setAttribute("aria-current", "true");
    [".fd-odds", ".fd-chosen", ".fd-path", ".fd-instead"].forEach(function (old) { if (one("#panel " + old)) one("#panel " + old).remove(); });
  }

  ["htmx:sendError", "htmx:timeout"].forEach(function (kind) {
    document.addEventListener(kind, function (event) {
      var asked = event.detail.requestConfig, link = asked && asked.verb === "get" && linkTo(asked.path);
      if (!link) return;
      take(link);
      event.preventDefault(); // it is not asked for again
    });
  });
})();
