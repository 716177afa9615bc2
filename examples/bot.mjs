// A bot that drives whatever waits for it, in any game, with Node 18 or later and no package.
//
//   PARC_FERME=https://rally.example TOKEN=pf_... node examples/bot.mjs          # for ever
//   PARC_FERME=https://rally.example TOKEN=pf_... node examples/bot.mjs RUN      # until that run is over
//   PARC_FERME=https://rally.example TOKEN=pf_... node examples/bot.mjs rallies/KEY    # until that rally is over
//
// It asks for the legal ways to go on and takes one at random. `choose` is where a better driver begins. At time control
// it hands in a card that takes nothing: only for a person's token that may drive, as rallies wait for no bot's card.

import { randomBytes } from "node:crypto";

const BASE = (process.env.PARC_FERME ?? "http://localhost:8000").replace(/\/$/, "") + "/api/v1";
const TOKEN = process.env.TOKEN ?? "";
const LONGEST_DRAFT = 3; // steps that are laid in one go, in games in which plans are laid
const PAUSE = Number(process.env.PAUSE ?? 30); // seconds between two looks when nothing waits

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const word = (bytes) => randomBytes(bytes).toString("hex");

class Problem extends Error {
  constructor(status, told) {
    super(`${status} ${told.title ?? ""}: ${told.detail ?? ""}`);
    this.status = status;
    this.told = told;
  }
}

// What the API answers. Waits where it is asked to wait, and sends again what it got no answer to.
async function ask(method, path, sent, key) {
  const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json", "User-Agent": "example-bot" };
  if (key) headers["Idempotency-Key"] = key;
  const body = sent === undefined ? undefined : JSON.stringify(sent);
  for (let attempt = 0; attempt < 6; attempt += 1) {
    let answer;
    try {
      answer = await fetch(BASE + path, { method, headers, body, signal: AbortSignal.timeout(30_000) });
    } catch {
      await sleep(2 ** attempt); // a write has a key: sent twice, it is carried out once
      continue;
    }
    const told = await answer.json().catch(() => ({ title: answer.statusText }));
    if (answer.ok) return told;
    const inFlight = (told.type ?? "").endsWith("/in-flight/");
    if (answer.status !== 429 && answer.status !== 503 && !inFlight) throw new Problem(answer.status, told);
    await sleep(Number(answer.headers.get("Retry-After") ?? 1));
  }
  throw new Error(`${method} ${path}: no answer`);
}

// One of the legal ways; where nothing can be chosen, what the codriver would do.
function choose(choices) {
  const ways = choices.ways.filter((way) => Object.keys(way.orders).length > 0 || way.draft !== null);
  if (ways.length === 0) return { orders: choices.autopilot, draft: null };
  return ways[Math.floor(Math.random() * ways.length)];
}

// The orders for the turn, and the version of the run that they are meant for.
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
  return { orders, version: choices.version, salt: word(8) };
}

// Make the turn that waits in a run, and those that follow it at once. Whoever was quicker is no mistake: look again.
async function play(run) {
  try {
    let seen = { my_turn: true };
    while (seen.my_turn) seen = await ask("POST", `/runs/${run}/turns`, await decide(run), word(16));
  } catch (problem) {
    await lookAgain(problem);
  }
}

// Hand in the card of the time control after a stage: no repairs, no penalties for them.
async function handIn(rally, stage) {
  try {
    await ask("POST", `/rallies/${rally}/stages/${stage}/card`, { decision: {} }, word(16));
  } catch (problem) {
    await lookAgain(problem);
  }
}

// Say what was no mistake, and take a breath; anything else ends the bot.
async function lookAgain(problem) {
  if (!(problem instanceof Problem) || ![403, 409, 412].includes(problem.status)) throw problem;
  console.error(problem.message);
  await sleep(Math.min(PAUSE, 1));
}

// Do what waits, in one rally or in all; wait where nothing does.
async function goOn(rally) {
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
    await goOn(key);
    seen = await ask("GET", `/rallies/${key}`);
  }
  console.log(`${key} is ${seen.status}`);
}

const named = process.argv.slice(2);
for (const name of named) {
  if (name.startsWith("rallies/")) await driveRally(name.slice("rallies/".length));
  else await drive(name);
}
while (named.length === 0) await goOn();
