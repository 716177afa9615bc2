// Keys of the cockpit: each key presses a button of the page, or moves the focus to a part of the page.
(function () {
  "use strict";

  var PARTS = { h: "#hand", o: "#now", b: "#piles" };

  function one(selector) { return document.querySelector(selector); }

  function press(button) {
    if (!button || button.disabled) return false;
    button.click();
    return true;
  }

  function go(part) {
    if (!part) return false;
    var target = part.parentElement.querySelector("button, a, summary") || part;
    target.focus({ preventScroll: true });
    part.scrollIntoView({ block: "nearest" });
    return true;
  }

  document.addEventListener("keydown", function (event) {
    if (!one("#lay") || event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.defaultPrevented) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    var key = event.key.length === 1 ? event.key.toLowerCase() : event.key, heard = false;
    if (/^[1-6]$/.test(key)) heard = press(one("#slot-" + key + " .use"));
    else if (key === "e") heard = press(one('#draft [value="end"]'));
    else if (key === "Backspace") heard = press(one('#draft [value="undo"]'));
    else if (PARTS[key]) heard = go(one(PARTS[key]));
    if (heard) event.preventDefault();
  });
})();
