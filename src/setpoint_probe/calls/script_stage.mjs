// Answers single calls: makes the object as a test did, and tells what comes of the call.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import v8 from "node:v8";
import { hasClass, isBuilt, publicOf, shortened, tell, vagueIn } from "./script_told.mjs";

const MOST_ITEMS = 60;

class Refused extends Error {}

// Refuse from now on what tests may not touch: files, processes, the network.
export const forbid = async (refusals) => {
  const refuse = (what) => () => {
    refusals.push(what);
    throw new Refused(`${what} is not for tests`);
  };
  const writing = /^(write|append|rm|unlink|rename|mkdir|mkdtemp|copy|cp|symlink|link|truncate|ch(mod|own)|createWrite)/;
  const modules = [[fs, writing], [fs.promises, writing]];
  for (const [name, pattern] of [["child_process", /./], ["net", /^(connect|createConnection|createServer)$/],
    ["http", /^(get|request)$/], ["https", /^(get|request)$/]])
    modules.push([(await import(`node:${name}`)).default, pattern]);
  for (const [module, pattern] of modules)
    for (const key of Object.keys(module))
      if (typeof module[key] === "function" && pattern.test(key)) module[key] = refuse(key);
  globalThis.fetch = refuse("fetch");
  process.exit = refuse("exit");
  syncBuiltinESMExports();
};

export const functionOf = async (request, name) => {
  const [file, qualified] = request.functions[name] ?? ["", ""];
  const module = await import(pathToFileURL(join(request.tree, file)).href);
  const [first, ...rest] = qualified.split(".");
  let found = module[first] ?? module.default?.[first], owner;
  const unnamed = first.startsWith("function in line") && ["", "default"].includes(module.default?.name);
  if (found === undefined && (unnamed || module.default?.name === first)) found = module.default;
  for (const each of rest) [owner, found] = [found, found?.[each]];
  if (typeof found !== "function") throw new Error("it is not exported");
  return { found, owner };
};

// Drive generators, iterators and promises to their end; items before an exception count.
const driven = async (value) => {
  if (typeof value?.then === "function") return ["a promise of ", await value];
  if (typeof value?.next !== "function") return ["", value];
  const items = [], of = value[Symbol.asyncIterator] ? "an asynchronous iterator of " : "an iterator of ";
  try {
    while (items.length < MOST_ITEMS) {
      const { done, value: item } = await value.next();
      if (done && item !== undefined) items.push({ returns: item });
      if (done) break;
      items.push(item);
    }
  } catch (error) {
    if (!items.length) throw error;
    items.push(`throws ${error?.constructor?.name}`);
  }
  return [of, items];
};

const asked = (subject, name, kind, given) => {
  if (kind === "set") return (subject[name] = given[0]);
  return typeof subject[name] === "function" ? subject[name](...given) : subject[name];
};

const made = async (request, value) => {
  if (value === null || typeof value !== "object") return value;
  if (!isBuilt(value)) {
    if (Array.isArray(value)) for (const [at, each] of value.entries()) value[at] = await made(request, each);
    else if (Object.getPrototypeOf(value) === Object.prototype)
      for (const [key, each] of Object.entries(value)) value[key] = await made(request, each);
    return value;
  }
  const { name, steps } = value.setpointBuilt, { found } = await functionOf(request, name);
  const subject = new found(...(await made(request, steps[0][2])));
  for (const [own, kind, given] of steps.slice(1))
    try {
      await driven(await asked(subject, own, kind, await made(request, given)));
    } catch {
      // What raised in a test raises again, and the test went on.
    }
  return subject;
};

const prepared = async (request, { call, kind, self, given }) => {
  const own = call.name.split(".").at(-1), subject = self && (await made(request, { setpointBuilt: self }));
  const values = await made(request, given);
  if (subject && kind !== "set" && !(own in subject)) throw new Error(`it has no ${own}`);
  if (subject) return [subject, values, () => asked(subject, own, kind, values)];
  const { found, owner } = await functionOf(request, call.name);
  return [undefined, values, () => (kind === "new" ? new found(...values) : found.apply(owner, values))];
};

const isShareable = (value) =>
  value !== null && typeof value === "object" && (Array.isArray(value) || value instanceof Map || value instanceof Set ||
    Object.getPrototypeOf(value) === Object.prototype);

// Say with whom a call shares what it gives: changing it changes what is not the caller's.
const shared = async (request, held, { subject, values, value }) => {
  if (!isShareable(value)) return [];
  const found = values.includes(value) ? ["an argument"] : [];
  if (subject && Object.values(subject).includes(value)) found.push("what the object holds");
  if (held.call.of >= 0 || subject || found.length) return found;
  const again = await prepared(request, v8.deserialize(v8.serialize(held))).then(([, , act]) => act()).catch(() => undefined);
  return (await again) === value ? ["what the next call gives"] : [];
};

const hashed = (text) => createHash("sha256").update(text).digest("hex");

const stateOf = (subject, value) => {
  const state = {}, objects = [["", subject], ["result.", value]];
  for (const [before, each] of objects)
    if (hasClass(each) && !(before && each === subject))
      for (const [name, text] of Object.entries(publicOf(each))) state[`${before}${name}`] = text;
  return state;
};

const valueTold = (subject, value) => {
  if (value === subject && subject !== undefined) return "the object itself";
  return hasClass(value) ? `an object of ${value.constructor.name}` : tell(value);
};

const ENGINE = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError", "URIError"]);

const lineOf = (path, line) => {
  try {
    return fs.readFileSync(path, "utf8").split("\n")[line - 1] ?? "";
  } catch {
    return "";
  }
};

// Where an exception was thrown in the tree, and whether a statement threw it: the engine throws few types.
const thrown = (request, error, kind) => {
  const found = [...String(error?.stack ?? "").matchAll(/(?:file:\/\/)?(\/[^\n()]+?):(\d+):\d+\)?$/gm)]
    .map(([, path, line]) => [decodeURI(path), Number(line)])
    .find(([path]) => [request.tree, fs.realpathSync(request.tree)].some((tree) => path.startsWith(`${tree}/`)));
  const deliberate = !ENGINE.has(kind) || (found !== undefined && /\bthrow\b/.test(lineOf(...found)));
  const own = (path) => path.replace(`${fs.realpathSync(request.tree)}/`, "").replace(`${request.tree}/`, "");
  const said = shortened(String(error?.message ?? error).replace(/\s+/g, " "), 90);
  return { place: found ? `${own(found[0])}:${found[1]}` : "", deliberate, said };
};

export const answer = async (request, held, refusals) => {
  const { number } = held.call, printed = [], unused = v8.serialize(held);
  let subject, values, act;
  refusals.length = 0;
  console.log = console.info = (...words) => printed.push(words.map(tell).join(" "));
  try {
    [subject, values, act] = await prepared(request, held);
  } catch (error) {
    return { number, kind: "unfit", shown: shortened(String(error?.message ?? error)) };
  }
  printed.length = 0;
  const before = values.map(tell);
  try {
    const [of, value] = await driven(act());
    if (refusals.length) return { number, kind: "refused" };
    const after = values.map(tell), changed = after.filter((text, place) => text !== before[place]);
    const changes = [...after.keys()].filter((place) => after[place] !== before[place]).map(String);
    const text = `${of}${valueTold(subject, value)}`, state = stateOf(subject, value);
    const more = changed.map((each) => ` (an argument is then ${shortened(each)})`).join("");
    const shares = of ? [] : await shared(request, v8.deserialize(unused), { subject, values, value });
    const then = Object.entries(state).map(([name, each]) => `${name}: ${each}`).join(", ");
    return {
      number, kind: "value", changes, shares, vague: vagueIn(value), told: hashed(JSON.stringify([text, printed, changed])),
      state: Object.fromEntries(Object.entries(state).map(([name, each]) => [name, hashed(each)])),
      shown: `${shortened(text)}${more}${then && ` (then {${shortened(then, 90)}})`}`,
    };
  } catch (error) {
    if (error instanceof Refused || refusals.length) return { number, kind: "refused" };
    const kind = error?.constructor?.name ?? typeof error;
    return kind === "RangeError" && /call stack/.test(error.message)
      ? { number, kind: "time", shown: "no end" }
      : { number, kind: "raises", told: kind, shown: `throws ${kind}`, ...thrown(request, error, kind) };
  }
};
