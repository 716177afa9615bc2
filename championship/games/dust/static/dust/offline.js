// Steps that are laid without a connection (kept-steps.js) take the cards, slots and dice that they use from the page.
// What they bring is known when they have arrived.
(function () {
  "use strict";

  function all(selector) { return [].slice.call(document.querySelectorAll(selector)); }

  // What a step uses up: a card of the hand, a slot, the die there.
  function used(step) {
    var words = step.trim().split(" ");
    if (words[0] === "play") return { card: words[1], slot: words[2] };
    return words[0] === "use" ? { die: words[1] } : {};
  }

  document.addEventListener("plan:laid", function (event) {
    var base = event.detail.base, plan = event.detail.plan, gone = [];
    if (plan.indexOf(base) === 0) gone = plan.slice(base.length).split(";").map(used);
    all("#lay button[name=move]").forEach(function (button) {
      var of = used(button.value.split(";")[0]), die = button.closest(".above") && button.closest(".slot").dataset.slot;
      button.disabled = event.detail.ordered || gone.some(function (one) {
        return one.card && (one.card === of.card || one.slot === of.slot) || one.die && (one.die === of.die || one.die === die);
      });
    });
    all("#handrow > li").forEach(function (item) {
      var plays = [].slice.call(item.querySelectorAll(".toslots button"));
      item.classList.toggle("gone", plays.length > 0 && plays.every(function (button) { return button.disabled; }));
    });
  });
})();
