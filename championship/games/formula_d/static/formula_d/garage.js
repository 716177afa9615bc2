// The garage: shows the sum of a build's points as they are typed. Without script, the server's refusal gives it.
(function () {
  "use strict";

  function count() {
    var told = document.querySelector(".fd-garage .fd-sum");
    if (!told) return;
    var fields = [].slice.call(told.closest("fieldset").querySelectorAll("input[type=number]"));
    var sum = fields.reduce(function (all, field) { return all + (Number(field.value) || 0); }, 0);
    told.querySelector("b").textContent = sum;
    told.toggleAttribute("data-off", String(sum) !== told.getAttribute("data-sum"));
    told.hidden = false;
  }

  document.addEventListener("input", function (event) {
    if (event.target.closest(".fd-garage")) count();
  });
  document.addEventListener("htmx:load", count);
  count();
})();
