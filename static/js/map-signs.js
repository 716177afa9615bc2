// The signs on the buttons of a map (map.js).
(function () {
  "use strict";

  var SIGNS = {
    in: "M12 5v14M5 12h14",
    out: "M5 12h14",
    whole: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
    mine: "M12 2v5M12 17v5M2 12h5M17 12h5M12 6a6 6 0 1 1 0 12a6 6 0 1 1 0-12z",
    follow: "M3 7h11v10H3zM14 11l7-4v10l-7-4z",
    look: "M2 12q10-13 20 0q-10 13-20 0zM12 9a3 3 0 1 1 0 6a3 3 0 1 1 0-6z",
  };

  window.mapSign = function (way) {
    var drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    var path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    drawn.setAttribute("viewBox", "0 0 24 24");
    drawn.setAttribute("aria-hidden", "true");
    path.setAttribute("d", SIGNS[way]);
    drawn.append(path);
    return drawn;
  };
})();
