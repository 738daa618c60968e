"use strict";
// Turns what V8 counted in this process into what Setpoint reads: the scripts that lie in the measured tree, with
// their source as it was compiled, since test runners compile what lies in no file.
const { createHash } = require("crypto");
const { existsSync, writeFileSync } = require("fs");
const { join, sep } = require("path");
const { fileURLToPath } = require("url");

// Names of modules stand here without `node:`, which older versions of jest do not know.
// Jest compiles each file inside a function, on the file's first line.
const WRAPPED = /^\(\{"Object\.<anonymous>":function\([^)]*\)\{/;

const connected = () => {
  try {
    const { Session } = require("inspector");
    const session = new Session();
    session.connect();
    return session;
  } catch {
    return null; // threads in which loaders run have no inspector, and run nothing of the project
  }
};

const placeOf = (url) => {
  const plain = url.split("?")[0];
  try {
    return plain.startsWith("file:") ? fileURLToPath(plain) : plain;
  } catch {
    return "";
  }
};

// Begin to count. The answer gives, each time it is called, what ran since the last time; none: nothing can count.
module.exports = (folder, tree) => {
  const session = folder && tree ? connected() : null;
  if (!session) return null;
  const answer = (method, parameters) => {
    let given;
    session.post(method, parameters, (error, result) => {
      given = error ? undefined : result;
    });
    return given;
  };
  const maps = new Map();
  const known = new Map();
  session.on("Debugger.scriptParsed", ({ params }) => maps.set(params.scriptId, params.sourceMapURL));
  answer("Profiler.enable");
  answer("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

  // Once it is on it stays on: switched off, V8 forgets where the blocks are of functions that have run.
  let debugged = false;
  const debug = () => {
    if (debugged) return;
    answer("Debugger.enable");
    answer("Debugger.setSkipAllPauses", { skip: true }); // else a `debugger` statement stops the process
    debugged = true;
  };
  const mine = (file) => file.startsWith(tree + sep) && !file.includes(`${sep}node_modules${sep}`);
  const keep = (id) => {
    const text = answer("Debugger.getScriptSource", { scriptId: id })?.scriptSource;
    if (text === undefined) return null;
    const before = WRAPPED.exec(text)?.[0].length ?? 0;
    const source = text.slice(before);
    const sum = createHash("sha256").update(source).digest("hex");
    const kept = join(folder, `${sum}.source`);
    if (!existsSync(kept)) writeFileSync(kept, source);
    return { sum, before, map: maps.get(id) ?? "" };
  };
  return () => {
    const counted = answer("Profiler.takePreciseCoverage")?.result ?? [];
    const own = counted.filter(({ url }) => mine(placeOf(url)));
    const unknown = own.filter(({ scriptId }) => !known.has(scriptId));
    if (unknown.length) {
      debug();
      for (const { scriptId } of unknown) known.set(scriptId, keep(scriptId));
    }
    const scripts = [];
    for (const { scriptId, url, functions } of own) {
      const script = known.get(scriptId);
      if (!script) continue;
      const at = (offset) => Math.max(0, offset - script.before);
      const ranges = functions.map((each) => each.ranges.map((r) => [at(r.startOffset), at(r.endOffset), r.count]));
      scripts.push({ file: placeOf(url), source: script.sum, map: script.map, ranges });
    }
    return scripts;
  };
};
