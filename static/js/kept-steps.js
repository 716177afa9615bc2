// Steps of a draft without a connection. A step that is kept here (run.js) is laid on this page, so the next one goes on
// behind it: each order has all steps before it. The newest order is sent, once, and the service checks all of it.
// A form whose moves can be joined says with data-joins what stands between two moves; with data-choices, the element
// that must be on the page for the choices behind a step. The event "plan:laid" asks a game's script to show them.
(function () {
  "use strict";

  function one(selector) { return document.querySelector(selector); }
  function all(selector) { return [].slice.call(document.querySelectorAll(selector)); }

  // The fields in which the forms of the page send the plan. Only those that take steps back have another plan.
  function plans() { return all("#panel form:not(#draft) input[type=hidden][name=plan]"); }

  // The words of a button, without its signs and small print.
  function words(button) {
    if (!button) return "";
    var copy = button.cloneNode(true), group = button.closest("[role=group][aria-label]");
    copy.querySelectorAll("[aria-hidden=true], small").forEach(function (part) { part.remove(); });
    var said = button.getAttribute("aria-label") || copy.textContent;
    if (group && group.matches(".toslots")) said = group.getAttribute("aria-label") + " " + button.dataset.slot;
    return said.replace(/\s+/g, " ").trim().slice(0, 80);
  }

  function buttonOf(move) {
    return all("#panel button[name=move]").find(function (button) { return button.value === move; });
  }

  function after(values, joins) {
    var plan = values.plan || "", between = joins.trim() || " ";
    if (values.move) return [plan, values.move].filter(Boolean).join(joins);
    return values.do === "undo" ? plan.split(between).slice(0, -1).join(between).trim() : plan;
  }

  // Adds to an order what is known of its steps. `before` is the order that was kept until now.
  function join(order, before, form) {
    var joins = form && form.dataset.joins, sends = /\/(turn|ahead)\/$/.test(order.path.split(/[?#]/)[0]) || order.values.do === "orders";
    if (sends && before) order.before = before.steps ? before : before.before;
    if (form && form.dataset.kept) order.then = form.dataset.kept;
    if (sends || !joins || order.values.change || order.values.to || order.values.do === "clear") return;
    if (form.dataset.choices && !document.getElementById(form.dataset.choices)) return;
    var shown = plans()[0], goesOn = before && before.steps && shown && before.after === shown.value;
    var from = goesOn ? before.steps : [];
    order.base = goesOn ? before.base : shown ? shown.value : "";
    order.after = after(order.values, joins);
    order.plan = order.after;
    order.steps = from.concat({ what: order.what || words(buttonOf(order.values.move)) || order.values.move, values: order.values, after: order.after });
    order.what = "";
  }

  // The order without its newest step; null without any.
  function shorter(order) {
    var steps = order.steps.slice(0, -1), last = steps[steps.length - 1];
    return last ? Object.assign({}, order, { steps: steps, values: last.values, after: last.after, plan: last.after }) : null;
  }

  // Shows the steps of an order, and lays them on the page. Without steps the page is as the service sent it.
  var laid = null; // what is laid on this page: {base, after, ordered}
  function show(order) {
    var box = one("#lost .laid-here"), list = one("#lost .unsent-steps");
    var with_ = order && (order.steps ? order : order.before), steps = with_ ? with_.steps : [];
    if (box) {
      box.hidden = !order || !order.steps;
      box.querySelector("b").textContent = steps.length;
      list.replaceChildren.apply(list, steps.map(function (step) {
        var item = document.createElement("li"), note = document.createElement("small");
        note.textContent = list.dataset.kept;
        item.append(step.what + " ", note);
        return item;
      }));
    }
    if (!with_ && !laid) return;
    lay(with_ ? { base: with_.base, after: with_.after, ordered: with_ !== order } : { base: laid.base, after: laid.base, ordered: false });
    if (!with_) laid = null;
  }

  function lay(what) {
    var panel = one("#panel");
    if (!panel) return;
    laid = what;
    plans().forEach(function (field) { field.value = what.after; });
    panel.classList.toggle("unsent", what.after !== what.base || what.ordered);
    panel.dispatchEvent(new CustomEvent("plan:laid", { bubbles: true, detail: { base: what.base, plan: what.after, ordered: what.ordered } }));
  }

  // A page that is shown anew has no steps of this kind on it.
  document.addEventListener("htmx:afterSwap", function (event) { if (event.detail.target && event.detail.target.id === "run") laid = null; });

  // The bar with the number of the steps covers little of the map. It opens to what they are.
  document.addEventListener("toggle", function (event) {
    if (event.target.matches && event.target.matches("#lost .laid-here")) one("#lost").classList.toggle("open", event.target.open);
  }, true);

  window.keptSteps = { join: join, shorter: shorter, show: show, words: words };
})();
