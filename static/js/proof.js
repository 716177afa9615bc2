// Checks a record in the visitor's own browser, as docs/records.md describes: promise, phrases, derived secrets, all
// draws. Shows the first error. It does not use the rules of a game.
(function () {
  "use strict";

  var SECOND_SEAL = 22;  // characters of a second seal before a point and the salt, after a restore from a backup
  var HEX = /^[0-9a-f]{64}$/, WHOLE = BigInt(1) << BigInt(256);
  var box = document.getElementById("check");
  var words = JSON.parse(document.getElementById("check-words").textContent);

  function Wrong(name, values) { this.name = name; this.values = values || {}; }

  function say(name, values) {
    return words[name].replace(/\{(\w+)\}/g, function (_all, key) { return String(values[key]); });
  }

  // Bytes ----------------------------------------------------------------------------------------

  function utf8(text) { return new TextEncoder().encode(text); }
  function hex(bytes) {
    return Array.from(new Uint8Array(bytes), function (byte) { return byte.toString(16).padStart(2, "0"); }).join("");
  }
  function unhex(text) {
    return Uint8Array.from(text.match(/../g), function (pair) { return parseInt(pair, 16); });
  }

  // The bytes that are hashed: JSON without spaces, with all characters outside ASCII escaped.
  function written(value) {
    return utf8(JSON.stringify(value).replace(/[\u007f-\uffff]/g, function (letter) {
      return "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0");
    }));
  }

  async function sha256(bytes) { return hex(await window.crypto.subtle.digest("SHA-256", bytes)); }
  function keyOf(secret) {
    return window.crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  }
  async function hmac(key, bytes) { return hex(await window.crypto.subtle.sign("HMAC", key, bytes)); }

  async function number(key, list, ends) {
    var most = BigInt(ends), fair = WHOLE - WHOLE % most;
    for (var attempt = 0; ; attempt += 1) {
      var drawn = BigInt("0x" + await hmac(key, written(list.concat(attempt))));
      if (drawn < fair) return Number(drawn % most);
    }
  }

  // The checks, in the order of docs/records.md ---------------------------------------------------

  function need(holds) { if (!holds) throw new Wrong("damaged"); }
  function isText(value) { return typeof value === "string"; }

  function checkShape(record) {
    var told = record.chance;
    need(told && Array.isArray(told.phrases) && told.phrases.every(isText) && Array.isArray(record.turns));
    ["promise", "seal", "secret", "phrases_sha256"].forEach(function (name) {
      need(isText(told[name]) && HEX.test(told[name]));
    });
    need(told.common === undefined || (isText(told.common) && HEX.test(told.common)));
    need(Number.isInteger(told.run) && told.run >= 1);
    record.turns.forEach(function (turn) {
      need(turn && isText(turn.salt) && Array.isArray(turn.draws));
      turn.draws.forEach(function (draw) {
        need(draw && isText(draw.what) && Number.isInteger(draw.ends) && draw.ends >= 1 && draw.ends <= 4294967296);
        need(Number.isInteger(draw.number) && ["run", "seat", "stage"].includes(draw.by));
        need(draw.by !== "stage" || told.common !== undefined);
      });
    });
  }

  async function checkSecrets(told, promised, published) {
    if (promised && told.promise !== promised) throw new Wrong("promise");
    if (await sha256(unhex(told.seal)) !== told.promise) throw new Wrong("seal");
    if (published && told.phrases_sha256 !== published) throw new Wrong("digest");
    if (await sha256(written(told.phrases)) !== told.phrases_sha256) throw new Wrong("phrases");
    var seal = await keyOf(unhex(told.seal));
    if (await hmac(seal, utf8("run " + told.run)) !== told.secret) throw new Wrong("secret", { run: told.run });
    if (told.common !== undefined && await hmac(seal, utf8("common")) !== told.common) throw new Wrong("common");
  }

  async function checkDraws(record) {
    var told = record.chance, phrases = told.phrases_sha256, counter = 0, count = 0;
    var own = await keyOf(unhex(told.secret)), common = told.common && await keyOf(unhex(told.common));
    for (var turn = 0; turn < record.turns.length; turn += 1) {
      var salt = record.turns[turn].salt, draws = record.turns[turn].draws;
      for (var place = 0; place < draws.length; place += 1) {
        var draw = draws[place], list = ["stage", phrases, draw.what];
        if (draw.by === "run") list = ["run", phrases, salt, draw.what, counter];
        if (draw.by === "seat") list = ["seat", phrases, salt, draw.what];
        var here = await number(draw.by === "stage" ? common : own, list, draw.ends);
        if (here !== draw.number) {
          throw new Wrong("draw", { turn: turn + 1, draw: place + 1, what: draw.what, there: draw.number, here: here });
        }
        counter += draw.by === "run" ? 1 : 0;
        count += 1;
      }
    }
    return count;
  }

  function remembered(what) {
    if (!box.dataset.run) return [];
    try { return JSON.parse(window.localStorage.getItem(what + ":" + box.dataset.run) || "[]"); } catch (refused) { return []; }
  }

  function checkMine(record) {
    var there = new Set(), restored = false, said = [];
    record.turns.forEach(function (turn) {
      there.add(turn.salt);
      if (turn.salt[SECOND_SEAL] !== ".") return;
      restored = true;
      there.add(turn.salt.slice(SECOND_SEAL + 1));
    });
    var has = function (salt) { return there.has(salt) || there.has(salt.slice(0, 63 - SECOND_SEAL)); };
    var mine = remembered("salts"), ahead = remembered("ahead");
    // A restore from a backup loses what was sent after the backup, so such a record does not contain it.
    if (restored) mine = mine.filter(has);
    mine.forEach(function (salt) { if (!has(salt)) throw new Wrong("salt", { salt: salt }); });
    if (mine.length) said.push(say("mine", { count: mine.length }));
    var driven = ahead.filter(has).length;
    if (ahead.length) said.push(say("ahead", { count: driven, sent: ahead.length }));
    return said;
  }

  async function check(record, promised, published) {
    need(record && typeof record === "object");
    if (record.record === 1) {
      var old = record.chance;
      need(old && isText(old.secret) && HEX.test(old.secret) && isText(old.commitment));
      if (promised && old.commitment !== promised && !box.dataset.record) throw new Wrong("promise");
      if (await sha256(unhex(old.secret)) !== old.commitment) throw new Wrong("seal");
      return [say("old")];
    }
    need(record.record === 2);
    checkShape(record);
    await checkSecrets(record.chance, promised, published);
    var said = [say("holds", { draws: await checkDraws(record) })].concat(checkMine(record));
    said.push(say(promised ? "noted" : "unnoted"));
    return said.concat(say("rules"));
  }

  // The page --------------------------------------------------------------------------------------

  function show(good, said) {
    var place = document.getElementById("checked"), notice = document.createElement("div");
    notice.className = "notice " + (good ? "good" : "bad");
    said.forEach(function (text) {
      var line = document.createElement("p");
      line.textContent = text;
      notice.append(line);
    });
    place.replaceChildren(notice);
  }

  async function read() {
    if (!box.dataset.record) {
      var file = document.querySelector("input[type=file][name=record]").files[0];
      if (!file) throw new Wrong("noFile");
      return file.text();
    }
    var answer = await fetch(box.dataset.record, { credentials: "same-origin" });
    if (!answer.ok) throw new Wrong("noRecord");
    return answer.text();
  }

  function noted(id) {
    var typed = (document.getElementById(id) || document.getElementById("id_" + id)).value.trim().toLowerCase();
    if (typed && !HEX.test(typed)) throw new Wrong("notHex");
    return typed;
  }

  async function pressed() {
    try {
      if (!window.crypto || !window.crypto.subtle) throw new Wrong("noCrypto");
      document.getElementById("checked").textContent = words.checking;
      var promised = noted("promised"), published = noted("published"), text = await read(), record;
      try { record = JSON.parse(text); } catch (refused) { throw new Wrong("damaged"); }
      show(true, await check(record, promised, published));
    } catch (wrong) {
      show(false, [wrong instanceof Wrong ? say(wrong.name, wrong.values) : words.damaged]);
    }
  }

  box.hidden = false;
  box.querySelector("button").addEventListener("click", pressed);
})();
