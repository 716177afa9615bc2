// Makes a button copy the value of a field or the address of a link. The button is hidden until this script runs.
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
