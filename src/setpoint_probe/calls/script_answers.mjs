// Chooses recorded calls, varies them, and answers them with the code of the tree that it runs in.
// usage: node script_answers.mjs REQUEST.json RESULT.json; the files have the form of the Python engine's.
import { readFileSync, writeFileSync } from "node:fs";
import { register } from "node:module";
import v8 from "node:v8";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { answer, forbid, functionOf } from "./script_stage.mjs";
import { altered, snapshot } from "./script_globals.mjs";
import { chosen } from "./script_choice.mjs";

const SILENCE_MS = 1500, RESTARTS = 4;

const work = async ({ request, done }) => {
  register("./script_loader.mjs", import.meta.url, { data: { tree: request.tree } });
  const held = request.recorded ? chosen(request) : v8.deserialize(readFileSync(request.calls));
  if (request.recorded) writeFileSync(request.calls, v8.serialize(held));
  parentPort.postMessage({ calls: held.map((each) => each.call) });
  const asked = request.only.length ? new Set(request.only) : undefined, refusals = [];
  const first = snapshot();
  for (const name of Object.keys(request.functions)) await functionOf(request, name).catch(() => undefined);
  const loaded = altered(first, snapshot());
  parentPort.postMessage({ altered: loaded });
  await forbid(refusals);
  const ready = snapshot();
  for (const each of held) {
    const { number } = each.call;
    if (done.has(number) || (asked && !asked.has(number))) continue;
    parentPort.postMessage({ at: number });
    parentPort.postMessage({ answer: await answer(request, v8.deserialize(v8.serialize(each)), refusals) });
  }
  parentPort.postMessage({ altered: [...loaded, ...altered(ready, snapshot())], ended: true });
};

const follow = (request, done, result, until) =>
  new Promise((settle) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { request, done }, stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    let at = -1, ended = false, heard = Date.now();
    const skipOthersOf = (name) => {
      for (const each of result.calls) if (each.name === name) done.add(each.number);
    };
    const look = setInterval(() => {
      if (Date.now() - heard > SILENCE_MS * (at < 0 ? 6 : 1) || Date.now() > until) worker.terminate();
    }, 100);
    worker.on("message", (told) => {
      heard = Date.now();
      if (told.calls && request.recorded) result.calls = told.calls;
      if (told.altered) result.altered = [...new Set([...result.altered, ...told.altered])];
      if (told.at !== undefined) at = told.at;
      if (told.answer) {
        done.add(told.answer.number);
        result.answers.push(told.answer);
      }
      ended ||= told.ended === true;
    });
    worker.on("error", (error) => (result.reason = String(error?.message ?? error)));
    worker.on("exit", () => {
      clearInterval(look);
      if (at >= 0) done.add(at);
      if (!ended && at >= 0) skipOthersOf(result.calls[at]?.name);
      settle(ended);
    });
  });

const main = async () => {
  const request = JSON.parse(readFileSync(process.argv[2], "utf8"));
  const result = { reason: "", calls: [], answers: [], altered: [] }, done = new Set();
  const until = Date.now() + request.wall_s * 1000;
  for (let turn = 0; turn < RESTARTS && Date.now() < until; turn++) {
    const again = turn > 0 && result.calls.length > 0;
    const asked = again ? { ...request, recorded: "" } : request;
    if (await follow(asked, done, result, until)) break;
  }
  if (result.answers.length) result.reason = "";
  writeFileSync(process.argv[3], JSON.stringify(result));
};

if (isMainThread) await main();
else await work(workerData);
