// Selects the browser's time zone on the form of a new account, unless the form was sent already.
"use strict";
(() => {
  const field = document.querySelector("select[name=time_zone]");
  if (!field || field.form.dataset.sent) return;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...field.options].some((option) => option.value === zone)) field.value = zone;
})();
