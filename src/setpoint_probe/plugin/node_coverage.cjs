"use strict";
// Lent to processes of Node by NODE_OPTIONS. At its end each process writes what V8 counted of the scripts that lie
// in the measured tree, with their source as it was compiled: test runners compile what lies in no file.
const folder = process.env.SETPOINT_COVERAGE_FOLDER;
const tree = process.env.SETPOINT_COVERAGE_TREE;

const connected = () => {
  try {
    const { Session } = require("node:inspector");
    const session = new Session();
    session.connect();
    return session;
  } catch {
    return null; // threads in which loaders run have no inspector, and run nothing of the project
  }
};
const session = folder && tree ? connected() : null;

if (session) {
  const { createHash } = require("node:crypto");
  const { existsSync, writeFileSync } = require("node:fs");
  const { join, sep } = require("node:path");
  const { fileURLToPath } = require("node:url");
  const { threadId } = require("node:worker_threads");

  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

  const answer = (method, parameters) => {
    let given;
    session.post(method, parameters, (error, result) => {
      given = error ? undefined : result;
    });
    return given;
  };
  const placeOf = (url) => {
    const plain = url.split("?")[0];
    try {
      return plain.startsWith("file:") ? fileURLToPath(plain) : plain;
    } catch {
      return "";
    }
  };
  let written = false;
  const write = () => {
    if (written) return;
    written = true;
    const counted = answer("Profiler.takePreciseCoverage")?.result ?? [];
    const maps = new Map();
    session.on("Debugger.scriptParsed", ({ params }) => maps.set(params.scriptId, params.sourceMapURL));
    session.post("Debugger.enable");
    const scripts = [];
    for (const { scriptId, url, functions } of counted) {
      const file = placeOf(url);
      if (!file.startsWith(tree + sep) || file.includes(`${sep}node_modules${sep}`)) continue;
      const source = answer("Debugger.getScriptSource", { scriptId })?.scriptSource;
      if (source === undefined) continue;
      const sum = createHash("sha256").update(source).digest("hex");
      const kept = join(folder, `${sum}.source`);
      if (!existsSync(kept)) writeFileSync(kept, source);
      const ranges = functions.map((each) => each.ranges.map((r) => [r.startOffset, r.endOffset, r.count]));
      scripts.push({ file, source: sum, map: maps.get(scriptId) ?? "", ranges });
    }
    writeFileSync(join(folder, `${process.pid}-${threadId}-${Date.now()}.json`), JSON.stringify(scripts));
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
