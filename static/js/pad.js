// A pad at the table. What is entered is stored on this phone first, with a key and the time, and sent as soon as there
// is a network. A key is never counted twice, so an entry may be sent again until an answer came. Without a script the
// form of each car works by itself.
(function () {
  "use strict";

  var root = document.getElementById("pads");
  if (!root) return;
  var say = root.dataset, path = say.path, QUEUE = "pad:" + path, DRAFT = "pad-draft:" + path;
  var WAITS = [2000, 5000, 15000, 30000, 60000], LOOK = 20000, MOST = 40; // milliseconds; entries in one request
  var sending = false, tries = 0, timer = null, dead = false, memory = {};
  var net = document.getElementById("net");

  function read(name) {
    try { return JSON.parse(window.localStorage.getItem(name) || "null") || memory[name] || null; } catch (refused) { return memory[name] || null; }
  }
  function write(name, value) {
    memory[name] = value;
    try {
      if (value === null) window.localStorage.removeItem(name);
      else window.localStorage.setItem(name, JSON.stringify(value));
    } catch (refused) { /* no storage: it is remembered while the page is open */ }
  }
  function queue() { return read(QUEUE) || []; }
  function freshKey() {
    var bytes = new Uint8Array(12);
    window.crypto.getRandomValues(bytes);
    return Array.from(bytes, function (byte) { return byte.toString(16).padStart(2, "0"); }).join("");
  }
  function make(name, words, attributes) {
    var made = document.createElement(name);
    if (words) made.textContent = words;
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    return made;
  }
  function carOf(id) { return root.querySelector('[data-car="' + id + '"]'); }
  function inWords(result) {
    if (result === null || result === "") return "";
    if (say.unit !== "seconds" || !/^-?\d+$/.test(String(result))) return String(result);
    return Math.floor(result / 60) + ":" + String(result % 60).padStart(2, "0");
  }

  // What waits ------------------------------------------------------------------------------------

  function show() {
    var waiting = queue();
    net.hidden = !dead && !waiting.length && !net.dataset.told;
    net.classList.toggle("sent", !dead && !waiting.length);
    net.textContent = dead ? say.dead : !waiting.length ? say.sent : waiting.length === 1 ? say.waitsOne : say.waits.replace("#", String(waiting.length));
    if (waiting.length) net.dataset.told = "yes";
    waiting.forEach(function (item) {
      var car = carOf(item.entry);
      if (!car) return;
      car.querySelector(".now").textContent = item.retired ? say.retired : inWords(item.shown);
      tell(car, (item.retired ? say.retired : inWords(item.shown)) + ": " + say.stored);
      var seen = car.querySelector('.entry [name="seen"]');
      if (seen) seen.value = item.key; // a correction replaces what this phone has entered
    });
  }
  function tell(car, words) {
    var place = car.querySelector(".said");
    place.textContent = words;
    place.hidden = !words;
  }

  function later(seconds) {
    window.clearTimeout(timer);
    timer = window.setTimeout(send, seconds ? seconds * 1000 : WAITS[Math.min(tries, WAITS.length - 1)]);
    tries += 1;
  }

  function token(fresh) {
    if (!fresh) return Promise.resolve(root.querySelector('[name="csrfmiddlewaretoken"]').value);
    return fetch(path, { credentials: "same-origin", cache: "no-store" }).then(function (answer) { return answer.text(); })
      .then(function (page) { return (/name="csrfmiddlewaretoken" value="(\w+)"/.exec(page) || [])[1] || ""; });
  }

  function post(batch, fresh) {
    return token(fresh).then(function (csrf) {
      return fetch(say.entries, {
        method: "POST", credentials: "same-origin", redirect: "error",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrf }, body: JSON.stringify({ entries: batch })
      });
    }).then(function (answer) { return answer.status === 403 && !fresh ? post(batch, true) : answer; });
  }

  function send() {
    var batch = queue().slice(0, MOST);
    if (sending || dead || !batch.length) return;
    sending = true;
    post(batch, false).then(function (answer) {
      if (answer.status === 404) { dead = true; return null; }
      if (answer.status === 429) {
        return answer.json().then(function (told) { done(told); later(Number(answer.headers.get("Retry-After")) || 30); });
      }
      if (!answer.ok) { later(); return null; }
      return answer.json().then(function (told) { tries = 0; done(told); });
    }).catch(function () { later(); }).then(function () {
      sending = false;
      show();
      if (!dead && queue().length && !tries) send();
    });
  }

  function done(told) {
    var outcomes = {};
    (told.outcomes || []).forEach(function (each) { outcomes[each.key] = each; });
    queue().forEach(function (item) {
      var car = carOf(item.entry), each = outcomes[item.key];
      if (!each || !car) return;
      tell(car, each.standing === "refused" ? say.refused + " " + inWords(item.shown) + ". " + each.says : each.standing === "conflict" ? say.conflict : each.says);
    });
    write(QUEUE, queue().filter(function (item) { return !outcomes[item.key]; }));
    var waiting = queue().map(function (item) { return String(item.entry); });
    Object.keys(told.cars || {}).forEach(function (id) {
      var car = carOf(id), now = told.cars[id];
      if (!car || waiting.indexOf(id) >= 0) return;
      var seen = car.querySelector('.entry [name="seen"]'), badge = car.querySelector("summary .badge");
      if (seen) seen.value = now.seen;
      car.querySelector(".now").textContent = now.says;
      badge.className = "badge " + (now.conflicts ? "late" : now.seen ? "done" : "wait");
      if (now.seen && !now.conflicts) badge.textContent = say.counts;
    });
  }

  // A page that others have changed is loaded again, unless something is typed or waits.
  function busy() {
    var at = document.activeElement, several = root.querySelectorAll(".pad").length > 1;
    return sending || queue().length || Object.keys(read(DRAFT) || {}).length || (at && at.matches("input:not([type=hidden])")) ||
      root.querySelector(".counts[open], .throws[open], .taps[data-begun]" + (several ? ", .pad[open]" : ""));
  }
  function look() {
    if (document.hidden || dead || busy()) return;
    fetch(say.state, { credentials: "same-origin", cache: "no-store" }).then(function (answer) {
      if (answer.status === 404) { dead = true; show(); return null; }
      return answer.ok ? answer.json() : null;
    }).then(function (told) {
      if (told && told.version !== say.version && !busy()) window.location.reload();
    }).catch(function () { /* no network */ });
  }

  // A pad -----------------------------------------------------------------------------------------

  function sumOf(form) {
    var worths = JSON.parse(form.dataset.worths || "{}"), sum = 0, any = false;
    Object.keys(worths).forEach(function (name) {
      var field = form.elements.namedItem(name), number = field ? Number(field.value) || 0 : 0, worth = worths[name];
      if (!number || !worth) return;
      any = true;
      sum += Array.isArray(worth) ? worth[number - 1] || 0 : worth * number;
    });
    return any ? sum : null;
  }

  function keep(form) {
    var drafts = read(DRAFT) || {}, id = form.elements.namedItem("entry").value, values = {};
    form.querySelectorAll("input:not([type=hidden])").forEach(function (field) {
      var now = field.type === "checkbox" ? field.checked : field.value, was = field.type === "checkbox" ? field.defaultChecked : field.defaultValue;
      if (now !== was) values[field.name] = now;
    });
    if (Object.keys(values).length) drafts[id] = { stage: form.elements.namedItem("stage").value, values: values };
    else delete drafts[id];
    write(DRAFT, Object.keys(drafts).length ? drafts : null);
  }
  function recall(form) {
    var kept = (read(DRAFT) || {})[form.elements.namedItem("entry").value];
    if (!kept) return;
    if (kept.stage !== form.elements.namedItem("stage").value) { forget(form); return; }
    Object.keys(kept.values).forEach(function (name) {
      var field = form.elements.namedItem(name);
      if (!field) return;
      if (field.type === "checkbox") field.checked = kept.values[name];
      else field.value = kept.values[name];
    });
    var counts = form.querySelector(".counts");
    if (counts) counts.open = true;
    form.closest("details.pad").open = true;
  }
  function forget(form) {
    var drafts = read(DRAFT) || {};
    delete drafts[form.elements.namedItem("entry").value];
    write(DRAFT, Object.keys(drafts).length ? drafts : null);
  }

  function submit(form, typed) {
    var field = form.elements.namedItem("result"), numbers = {}, result = typed || field.value.trim(), sum = sumOf(form);
    var retired = form.elements.namedItem("retired").checked;
    if (!result && sum === null && !retired) { field.setAttribute("aria-invalid", "true"); field.focus(); return; }
    field.removeAttribute("aria-invalid");
    form.querySelectorAll(".tally input").forEach(function (each) { numbers[each.name.replace(/^n_/, "")] = Number(each.value) || 0; });
    var counted = form.querySelector(".counts"), uses = counted && counted.open;
    var item = {
      key: freshKey(), entry: Number(form.elements.namedItem("entry").value), stage: Number(form.elements.namedItem("stage").value),
      seen: form.elements.namedItem("seen").value, numbers: uses ? numbers : {}, result: result || null, retired: retired,
      reason: retired ? form.elements.namedItem("reason").value : "", at: new Date().toISOString(), shown: result || sum
    };
    write(QUEUE, queue().concat([item]));
    form.elements.namedItem("key").value = freshKey();
    form.elements.namedItem("seen").value = item.key;
    forget(form);
    if (counted) counted.open = false;
    form.querySelectorAll("input:not([type=hidden])").forEach(function (each) { each.defaultValue = each.value; if (each.type === "checkbox") each.defaultChecked = each.checked; });
    tries = 0;
    show();
    send();
  }

  // Three taps: minutes, tens of seconds, seconds.
  function taps(form) {
    var place = form.querySelector(".taps"), taken = [];
    var steps = [[say.minutes, 15], [say.tens, 6], [say.ones, 10]];
    function draw() {
      var at = taken.length, head = make("p"), keys = make("div", "", { "class": steps[at][1] % 5 ? "keys three" : "keys" });
      head.append(make("span", steps[at][0]), make("output", taken.length ? taken[0] + ":" + (taken.length > 1 ? taken[1] : "–") + "–" : "–:––"));
      for (var number = 0; number < steps[at][1]; number += 1) keys.append(make("button", String(number), { type: "button", "data-number": number, "aria-label": steps[at][0] + " " + number }));
      place.toggleAttribute("data-begun", taken.length > 0);
      place.replaceChildren(head, keys);
      if (taken.length) { var back = make("button", say.again, { type: "button", "class": "button quiet small" }); back.addEventListener("click", function () { taken = []; draw(); }); head.append(back); }
    }
    place.addEventListener("click", function (event) {
      var pressed = event.target.closest("[data-number]");
      if (!pressed) return;
      taken.push(pressed.dataset.number);
      if (taken.length === 3) {
        var result = taken[0] + ":" + taken[1] + taken[2];
        taken = [];
        form.elements.namedItem("result").value = result;
        submit(form, result);
      }
      draw();
      place.querySelector(".keys button").focus();
    });
    draw();
    place.hidden = false;
  }

  function steppers(box) {
    var field = box.querySelector("input"), holder = make("span", "", { "class": "stepper" }), label = box.querySelector("label").textContent.trim();
    function button(words, by, spoken) {
      var made = make("button", words, { type: "button", "aria-label": label + ": " + spoken, "class": by > 0 ? "up" : "down" });
      made.addEventListener("click", function () {
        var number = Math.max(Number(field.min), Math.min(Number(field.max), (Number(field.value) || 0) + by));
        field.value = String(number);
        field.dispatchEvent(new Event("input", { bubbles: true }));
      });
      return made;
    }
    field.replaceWith(holder);
    holder.append(button("−", -1, say.less), field);
    (box.dataset.steps || "1").split(" ").forEach(function (by) { holder.append(button(by === "1" ? "+" : "+" + by, Number(by), by + " " + say.more)); });
  }

  root.querySelectorAll(".tally").forEach(steppers);
  root.querySelectorAll("form.entry").forEach(function (form) {
    var sum = form.querySelector(".sum"), result = form.elements.namedItem("result");
    recall(form);
    function total() { if (sum) { var now = sumOf(form); sum.textContent = now === null ? "" : inWords(now); } }
    form.addEventListener("input", function (event) {
      if (event.target.closest(".tally")) result.value = ""; // the count takes the place of what was typed
      keep(form);
      total();
    });
    form.addEventListener("submit", function (event) { event.preventDefault(); submit(form, ""); });
    if (say.unit === "seconds") taps(form);
    total();
  });

  window.addEventListener("online", function () { tries = 0; send(); });
  document.addEventListener("visibilitychange", function () { if (!document.hidden) { tries = 0; send(); look(); } });
  window.addEventListener("storage", function (event) { if (event.key === QUEUE) show(); });
  window.setInterval(look, LOOK);
  if ("serviceWorker" in navigator) {
    navigator.serviceWorker.register(say.worker).then(function () { return navigator.serviceWorker.ready; }).then(function (registration) {
      var files = performance.getEntriesByType("resource").map(function (file) { return file.name; })
        .filter(function (name) { return name.indexOf(window.location.origin) === 0; });
      registration.active.postMessage({ keep: path, files: files });
    }).catch(function () { /* no worker: the open page still works */ });
  }
  show();
  send();
})();
