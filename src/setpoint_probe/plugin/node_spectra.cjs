"use strict";
// Lent to processes of Node by NODE_OPTIONS. Writes for each test what V8 counted while it ran, one line of JSON a
// test. SETPOINT_SPECTRA is the order: `folder` to write to, `tree` that is measured, `runner`, the names of the
// `failing` tests with a space between a group and what is in it, and `limit_ms` after which no other is recorded.
const SHARED = Symbol.for("setpoint.spectra");

const opened = (order) => {
  const take = require("./node_scripts.cjs")(order.folder, order.tree);
  if (!take) return null;
  const { appendFileSync } = require("fs");
  const { join } = require("path");
  const { randomUUID } = require("crypto");
  const place = join(order.folder, `${randomUUID()}.jsonl`);
  const failing = new Set(order.failing);
  const running = [];
  let spent = 0;

  const wanted = (test) => failing.has(test.name) || spent < order.limit_ms;
  const write = (record) => appendFileSync(place, `${JSON.stringify(record)}\n`);
  // What ran while no test was open was run for all tests of the process: modules that are loaded, common hooks.
  const share = () => {
    const scripts = take();
    for (const test of running) test.scripts.push(...scripts);
    if (!running.length && scripts.length) write({ file: "", name: "", mixed: false, scripts });
  };
  const timed = (work) => {
    const began = Date.now();
    work();
    spent += Date.now() - began;
  };
  const inside = (name) => name.startsWith(`${running.at(-1).name} `);
  return {
    begin(file, name) {
      timed(() => {
        share();
        const mixed = running.length > 0 && !inside(name);
        if (mixed) for (const test of running) test.mixed = true; // they run at the same time
        running.push({ file, name, mixed, scripts: [] });
      });
    },
    end(file, name) {
      timed(() => {
        const at = running.findLastIndex((test) => test.file === file && test.name === name);
        if (at < 0) return;
        share();
        const [test] = running.splice(at, 1);
        if (wanted(test)) write(test);
      });
    },
  };
};

const order = process.env.SETPOINT_SPECTRA ? JSON.parse(process.env.SETPOINT_SPECTRA) : null;
if (order && !globalThis[SHARED]) globalThis[SHARED] = opened(order);
module.exports = order ? globalThis[SHARED] : null;

if (module.exports && order.runner === "node_test" && process.env.NODE_TEST_CONTEXT) {
  const { afterEach, beforeEach } = require("node:test");
  const nameOf = (test) => (test?.fullName ?? test?.name ?? "").replaceAll(" > ", " ");
  const fileOf = (test) => test?.filePath ?? process.argv[1] ?? "";
  beforeEach((test) => module.exports.begin(fileOf(test), nameOf(test)));
  afterEach((test) => module.exports.end(fileOf(test), nameOf(test)));
}
