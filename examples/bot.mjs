// A bot that plays every turn that waits for it, in any game, with Node 18 or later and no package.
//
//   PARC_FERME=https://rally.example TOKEN=pf_... node examples/bot.mjs          # for ever
//   PARC_FERME=https://rally.example TOKEN=pf_... node examples/bot.mjs RUN      # until that run is over
//   PARC_FERME=https://rally.example TOKEN=pf_... node examples/bot.mjs rallies/KEY    # until that rally is over
//
// It requests the legal ways to go on and picks one at random. To write a better driver, start with `choose`. At time
// control it hands in a card without repairs. Only a person's token that may drive needs this: rallies do not wait for
// a bot's card.

import { randomBytes } from "node:crypto";

const BASE = (process.env.PARC_FERME ?? "http://localhost:8000").replace(/\/$/, "") + "/api/v1";
const TOKEN = process.env.TOKEN ?? "";
const LONGEST_DRAFT = 3; // draft steps for one turn, in games with drafts
const PAUSE = Number(process.env.PAUSE ?? 30); // seconds between two polls when nothing waits

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const randomHex = (bytes) => randomBytes(bytes).toString("hex");

class Problem extends Error {
  constructor(status, document) {
    super(`${status} ${document.title ?? ""}: ${document.detail ?? ""}`);
    this.status = status;
    this.document = document;
  }
}

// Send a request and return the answer. Waits when the API says so, and sends again when there was no answer.
async function ask(method, path, sent, key) {
  const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json", "User-Agent": "example-bot" };
  if (key) headers["Idempotency-Key"] = key;
  const body = sent === undefined ? undefined : JSON.stringify(sent);
  for (let attempt = 0; attempt < 6; attempt += 1) {
    let answer;
    try {
      answer = await fetch(BASE + path, { method, headers, body, signal: AbortSignal.timeout(30_000) });
    } catch {
      // At first without a wait: the connection may only have been idle. A write has an idempotency key, so it is safe
      // to send it twice.
      await sleep(2 ** attempt - 1);
      continue;
    }
    const document = await answer.json().catch(() => ({ title: answer.statusText }));
    if (answer.ok) return document;
    const inFlight = (document.type ?? "").endsWith("/in-flight/");
    if (answer.status !== 429 && answer.status !== 503 && !inFlight) throw new Problem(answer.status, document);
    await sleep(Number(answer.headers.get("Retry-After") || 1));
  }
  throw new Error(`${method} ${path}: no answer`);
}

// Return one of the legal ways; when there is nothing to choose, the orders of the codriver.
function choose(choices) {
  const ways = choices.ways.filter((way) => Object.keys(way.orders).length > 0 || way.draft !== null);
  if (ways.length === 0) return { orders: choices.autopilot, draft: null };
  return ways[Math.floor(Math.random() * ways.length)];
}

// Return the orders for the turn, and the version of the run for which they are meant.
async function decide(run) {
  const choices = await ask("GET", `/runs/${run}/choices`);
  let way = choose(choices);
  for (let step = 0; step < LONGEST_DRAFT && way.draft !== null; step += 1) {
    const whole = Object.keys(way.orders).length > 0;
    if (whole && Math.random() < 0.3) break;
    const behind = await ask("GET", `/runs/${run}/choices?draft=${encodeURIComponent(JSON.stringify(way.draft))}`);
    if (behind.ways.length === 0) break;
    way = choose(behind);
  }
  const orders = Object.keys(way.orders).length > 0 ? way.orders : choices.autopilot;
  return { orders, version: choices.version, salt: randomHex(8) };
}

// Play the turn that waits in a run, and the turns that follow immediately. That the run has moved on in the meantime
// is no error: the next poll sees it.
async function play(run) {
  try {
    let seen = { my_turn: true };
    while (seen.my_turn) seen = await ask("POST", `/runs/${run}/turns`, await decide(run), randomHex(16));
  } catch (problem) {
    await tolerate(problem);
  }
}

// Hand in the card of the time control after a stage: no repairs, no penalties for them.
async function handIn(rally, stage) {
  try {
    await ask("POST", `/rallies/${rally}/stages/${stage}/card`, { decision: {} }, randomHex(16));
  } catch (problem) {
    await tolerate(problem);
  }
}

// Print a problem that is no error of the bot, and pause. Any other problem ends the bot.
async function tolerate(problem) {
  if (!(problem instanceof Problem) || ![403, 409, 412].includes(problem.status)) throw problem;
  console.error(problem.message);
  await sleep(Math.min(PAUSE, 1));
}

// Do everything that waits, in one rally or in all; sleep when nothing waits.
async function poll(rally) {
  const waiting = (await ask("GET", "/me/turns")).filter((each) => !rally || each.rally === rally);
  for (const each of waiting) {
    if (each.run !== null) await play(each.run);
    else await handIn(each.rally, each.stage);
  }
  if (waiting.length === 0) await sleep(rally ? Math.min(PAUSE, 1) : PAUSE);
}

// Drive until the run is over.
async function drive(run) {
  let seen = await ask("GET", `/runs/${run}`);
  while (seen.status === "running") {
    if (seen.my_turn) await play(run);
    else await sleep(Math.min(PAUSE, 1));
    seen = await ask("GET", `/runs/${run}`);
  }
  console.log(`${run} is ${seen.status}`);
}

// Drive all stages of a rally, from the start to the finish.
async function driveRally(key) {
  let seen = await ask("GET", `/rallies/${key}`);
  while (["entries", "running"].includes(seen.status)) {
    await poll(key);
    seen = await ask("GET", `/rallies/${key}`);
  }
  console.log(`${key} is ${seen.status}`);
}

const named = process.argv.slice(2);
for (const name of named) {
  if (name.startsWith("rallies/")) await driveRally(name.slice("rallies/".length));
  else await drive(name);
}
while (named.length === 0) await poll();
