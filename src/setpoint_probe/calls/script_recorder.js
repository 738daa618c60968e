// The body of a function of `process` and `folder`: gives what notes the calls of functions, and tells values.
const builtIn = (name) => process.getBuiltinModule(`node:${name}`);
const MOST = 24, MOST_BYTES = 20000, MOST_MS = 3000, MOST_PARTS = 4000, MOST_SHOWN = 80;
const counts = new Map(), known = new Set();
let spent = 0, placed = false;

const tell = (value) => {
  let left = MOST_PARTS;
  const say = (each, depth) => {
    if (--left < 0 || depth > 6) return "...";
    if (typeof each === "string") return JSON.stringify(each);
    if (typeof each === "number") return Number.isFinite(each) ? String(Number((each + 0).toPrecision(12))) : String(each);
    if (typeof each === "bigint") return `${each}n`;
    if (typeof each === "function") return "a function";
    if (each === null || typeof each !== "object") return String(each);
    const name = each.constructor?.name ?? "";
    if (name === "Date") return `Date ${+each}`;
    if (name === "RegExp") return `RegExp ${each}`;
    if (each instanceof Error) return `${each.name} ${each.message}`;
    if (Array.isArray(each)) return `[${each.map((held) => say(held, depth + 1)).join(", ")}]`;
    if (ArrayBuffer.isView(each)) return `${name}[${each}]`;
    if (name === "Map") return `Map{${[...each].map((pair) => say(pair, depth + 1)).sort().join(", ")}}`;
    if (name === "Set") return `Set{${[...each].map((held) => say(held, depth + 1)).sort().join(", ")}}`;
    const pairs = Object.entries(each).map(([key, held]) => `${key}: ${say(held, depth + 1)}`);
    return `${name === "Object" ? "" : name}{${pairs.sort().join(", ")}}`;
  };
  return say(value, 0);
};

const shortened = (text) => (text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 3)}...`);

const answerOf = (kind, value) => {
  const text = kind === "raises" ? value?.constructor?.name ?? typeof value : tell(value);
  const told = builtIn("crypto").createHash("sha256").update(text).digest("hex");
  return { kind, told, shown: kind === "raises" ? `throws ${text}` : shortened(text) };
};

const timed = (act) => {
  if (spent > MOST_MS) return undefined;
  const begun = Date.now();
  try {
    return act();
  } catch {
    return undefined; // What cannot be noted is left out; the test must go on.
  } finally {
    spent += Date.now() - begun;
  }
};

const write = (line) => {
  const fs = builtIn("fs");
  fs.mkdirSync(folder, { recursive: true });
  if (!placed) {
    placed = true;
    const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|JEST|NODE_TEST|TEST_WORKER|SETPOINT)/.test(name));
    write({ environment: Object.fromEntries(own), path: [] });
  }
  const thread = builtIn("worker_threads").threadId;
  fs.appendFileSync(builtIn("path").join(folder, `${process.pid}-${thread}.jsonl`), `${JSON.stringify(line)}\n`);
};

const isBound = (subject, name) =>
  subject !== undefined && subject !== globalThis && !(typeof subject?.[name] === "function" && !isObjectOfClass(subject));
const isObjectOfClass = (value) => ![Object.prototype, null].includes(Object.getPrototypeOf(value)) && value[Symbol.toStringTag] !== "Module";

const begin = (name, subject, given) => {
  const own = name.split("::").at(-1);
  const line = { name, module: name.slice(0, name.lastIndexOf("::")), function: own };
  if (isBound(subject, own) || (counts.get(name) ?? 0) >= MOST) return undefined;
  let data;
  try {
    data = builtIn("v8").serialize(given);
  } catch {
    if (!known.has(name)) write({ ...line, missed: "its arguments cannot be kept" });
    known.add(name);
    return undefined;
  }
  const kept = data.toString("base64"), key = `${name} ${kept}`;
  if (data.length > MOST_BYTES || known.has(key)) return undefined;
  known.add(key);
  counts.set(name, (counts.get(name) ?? 0) + 1);
  return { ...line, arguments: kept, call: `${own}(${given.map((each) => shortened(tell(each))).join(", ")})` };
};

const call = (name, subject, given, act) => {
  const line = timed(() => begin(name, subject, given));
  const end = (kind, value) => line && timed(() => write({ ...line, ...answerOf(kind, value) }));
  let value;
  try {
    value = act();
  } catch (error) {
    end("raises", error);
    throw error;
  }
  if (typeof value?.then === "function") value.then((each) => end("value", each), (error) => end("raises", error));
  else if (typeof value?.next !== "function") end("value", value);
  return value;
};

return { call, tell, answerOf };
