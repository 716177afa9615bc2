// A button beside a field or a link that copies what stands in it. It is hidden until this script has found it.
"use strict";
document.querySelectorAll("[data-copies]").forEach((button) => {
  const field = document.getElementById(button.dataset.copies);
  if (!field || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(field.value || field.href).then(() => {
      button.textContent = button.dataset.copied;
    }, () => field.select && field.select());
  });
});
