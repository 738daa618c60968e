"use strict";
// Lent to processes of Node by NODE_OPTIONS. At its end each process writes what V8 counted of the scripts that lie
// in the measured tree.
const folder = process.env.SETPOINT_COVERAGE_FOLDER;
const take = require("./node_scripts.cjs")(folder, process.env.SETPOINT_COVERAGE_TREE);

if (take) {
  const { writeFileSync } = require("node:fs");
  const { join } = require("node:path");
  const { threadId } = require("node:worker_threads");

  let written = false;
  const write = () => {
    if (written) return;
    written = true;
    writeFileSync(join(folder, `${process.pid}-${threadId}-${Date.now()}.json`), JSON.stringify(take()));
  };
  process.on("exit", write);
  // vitest ends its workers by a signal, on which no process writes anything by itself.
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      write();
      process.kill(process.pid, signal);
    });
  }
}
