// Makes recorded calls again and writes what came of each. usage: node script_replay.cjs ORDER.json
// A bare test calls `replay` in the runner's own process, with what imports a file there.
const fs = require("node:fs");
const path = require("node:path");
const v8 = require("node:v8");
const { pathToFileURL } = require("node:url");

const CALL_MS = 2000, MOST_SAID = 120;

const telling = () => {
  const text = fs.readFileSync(path.join(__dirname, "script_recorder.js"), "utf8");
  return Function("process", "folder", text)({ ...process, getBuiltinModule: (name) => require(name) }, "");
};

const functionIn = async (tree, call, load) => {
  const module = await load(pathToFileURL(path.join(tree, call.module)).href);
  const own = call.function, other = module.default;
  const found = module[own] ?? other?.[own] ?? (other?.name === own ? other : undefined);
  if (typeof found !== "function") throw new Error("it is not exported");
  return found;
};

const within = (value) => {
  let clock;
  const late = new Promise((_, reject) => (clock = setTimeout(() => reject(within), CALL_MS)));
  return Promise.race([value, late]).finally(() => clearTimeout(clock));
};

const answer = async (tree, call, load, answerOf) => {
  let found, given;
  try {
    [found, given] = [await functionIn(tree, call, load), v8.deserialize(Buffer.from(call.arguments, "base64"))];
  } catch (error) {
    return { kind: "unfit", shown: String(error?.message ?? error).slice(0, MOST_SAID) };
  }
  try {
    return answerOf("value", await within(found(...given)));
  } catch (error) {
    return error === within ? { kind: "time", shown: "no end" } : answerOf("raises", error);
  }
};

const replay = async (order, load) => {
  const asked = JSON.parse(fs.readFileSync(order, "utf8")), { answerOf } = telling();
  const until = Date.now() + asked.wall_s * 1000, file = fs.openSync(asked.answers, "w");
  for (const [name, text] of Object.entries(asked.environment)) process.env[name] = text;
  for (const line of fs.readFileSync(asked.calls, "utf8").split("\n").filter(Boolean)) {
    if (Date.now() > until) break;
    const call = JSON.parse(line), { number } = call;
    fs.writeSync(file, `${JSON.stringify({ number, ...(await answer(asked.tree, call, load, answerOf)) })}\n`);
  }
  fs.closeSync(file);
};

module.exports = { replay };

if (require.main === module) {
  const { register } = require("node:module");
  const { tree } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
  console.log = console.info = () => {};
  register?.("./script_loader.mjs", pathToFileURL(__filename), { data: { tree } });
  replay(process.argv[2], (file) => import(file)).then(() => process.exit(0));
}
