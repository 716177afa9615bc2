// Drag a card of the hand onto a slot, or a card of a pile onto the hand. Each drop presses a button of the page.
// A mouse or a pen drags at once. A finger must rest on the card first, so that the page can still be scrolled.
(function () {
  "use strict";

  var NEAR = 8, REST = 350;
  var drag = null;

  function targets(item) {
    var found = [];
    item.querySelectorAll("button[name=move]").forEach(function (button) {
      var words = button.value.split(";")[0].split(" "), area = null;
      if (words[0] === "play") area = document.getElementById("slot-" + words[2]);
      else if (words[0] === "buy") area = document.querySelector(".hand");
      if (area) found.push({ area: area, button: button });
    });
    return found;
  }

  function lift() {
    drag.copy = drag.item.querySelector(".playcard").cloneNode(true);
    drag.copy.classList.add("lifted");
    drag.copy.setAttribute("aria-hidden", "true");
    drag.copy.style.width = drag.item.offsetWidth + "px";
    document.body.appendChild(drag.copy);
    document.body.classList.add("dragging");
    drag.item.classList.add("held");
    drag.targets.forEach(function (one) { one.area.classList.add("takes"); });
    follow();
  }

  function under() {
    return drag.targets.find(function (one) {
      var box = one.area.getBoundingClientRect();
      return drag.x >= box.left && drag.x <= box.right && drag.y >= box.top && drag.y <= box.bottom;
    });
  }

  function follow() {
    var here = under();
    drag.copy.style.transform = "translate(" + (drag.x - drag.item.offsetWidth / 2) + "px," + (drag.y - 40) + "px)";
    drag.targets.forEach(function (one) { one.area.classList.toggle("over", one === here); });
    if (drag.y < 60) window.scrollBy(0, -16);
    else if (drag.y > window.innerHeight - 90) window.scrollBy(0, 16);
  }

  function drop(press) {
    var one = drag, hit = press && drag.copy ? under() : null;
    window.clearTimeout(one.timer);
    drag = null;
    if (!one.copy) return;
    one.copy.remove();
    one.item.classList.remove("held");
    document.body.classList.remove("dragging");
    one.targets.forEach(function (each) { each.area.classList.remove("takes", "over"); });
    if (hit && hit.button.isConnected) hit.button.click();
  }

  document.addEventListener("pointerdown", function (event) {
    var item = event.target.closest("[data-drag]");
    if (!item || !event.isPrimary || event.button || event.target.closest("button, a, summary")) return;
    if (drag) drop(false);
    drag = { item: item, targets: targets(item), id: event.pointerId, x: event.clientX, y: event.clientY, fromX: event.clientX, fromY: event.clientY, touch: event.pointerType === "touch", copy: null, timer: 0 };
    if (drag.touch) drag.timer = window.setTimeout(function () { if (drag && !drag.copy) lift(); }, REST);
  });

  document.addEventListener("pointermove", function (event) {
    if (!drag || event.pointerId !== drag.id) return;
    drag.x = event.clientX;
    drag.y = event.clientY;
    if (drag.copy) { follow(); return; }
    if (Math.hypot(drag.x - drag.fromX, drag.y - drag.fromY) < NEAR) return;
    if (drag.touch) drop(false);
    else lift();
  });

  document.addEventListener("pointerup", function (event) { if (drag && event.pointerId === drag.id) drop(true); });
  document.addEventListener("pointercancel", function (event) { if (drag && event.pointerId === drag.id) drop(false); });
  document.addEventListener("keydown", function (event) { if (drag && event.key === "Escape") drop(false); });
  document.addEventListener("touchmove", function (event) { if (drag && drag.copy) event.preventDefault(); }, { passive: false });
  document.addEventListener("contextmenu", function (event) { if (drag && drag.touch) event.preventDefault(); });
  document.addEventListener("dragstart", function (event) { if (event.target.closest && event.target.closest("[data-drag]")) event.preventDefault(); });
})();
