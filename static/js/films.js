// The button that hands a film to another app: as a file where the browser can, else its address.
"use strict";

(() => {
  const ready = () => {
    for (const button of document.querySelectorAll(".share-film")) {
      button.hidden = !navigator.share;
    }
  };

  const share = async (button) => {
    const { title, address, file } = button.dataset;
    let data = { title, url: address };
    try {
      const answer = await fetch(file);
      const film = new File([await answer.blob()], "film.mp4", { type: "video/mp4" });
      if (answer.ok && navigator.canShare?.({ files: [film] })) {
        data = { title, files: [film] };
      }
    } catch {
      // The address will do.
    }
    navigator.share(data).catch(() => {});
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".share-film");
    if (button) {
      share(button);
    }
  });
  document.addEventListener("htmx:afterSettle", ready);
  ready();
})();
