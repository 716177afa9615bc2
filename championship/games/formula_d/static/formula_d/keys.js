// Keys of the turn panel: a digit previews a gear, brackets move between end spaces. Each key follows a link.
(function () {
  "use strict";

  function follow(link) {
    if (!link || !window.htmx) return false;
    link.click();
    return true;
  }

  function gear(key) {
    return document.querySelector('#panel .fd-gears a[data-gear="' + key + '"]');
  }

  function end(step) {
    var links = [].slice.call(document.querySelectorAll("#panel .fd-ends a"));
    var at = links.findIndex(function (link) { return link.hasAttribute("aria-current"); });
    return links.length ? links[(at + step + links.length) % links.length] : null;
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || event.repeat) return;
    if (event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
    var done = /^[1-6]$/.test(event.key) ? follow(gear(event.key))
      : event.key === "]" ? follow(end(1))
      : event.key === "[" ? follow(end(-1)) : false;
    if (done) event.preventDefault();
  });
})();
