// Notes the arguments of calls of instrumented functions; the body of a function with `process` and `folder`.
// Of an object it keeps how it was made: what its constructor got, and each call since.
const fs = process.getBuiltinModule("node:fs");
const v8 = process.getBuiltinModule("node:v8");
const MOST = 80, MOST_CHARACTERS = 11000, MOST_STEPS = 20;
const counts = new Map(), known = new Set(), made = new WeakMap();
let depth = 0;

const isPlain = (value) => {
  const above = Object.getPrototypeOf(value);
  return above === null || above.constructor?.name === "Object";
};

// Only values without a class of their own come back as they were, and objects that were followed.
const kept = (value, level = 0) => {
  if (typeof value === "function" || typeof value === "symbol" || level > 5) throw new Error("not kept");
  if (value === null || typeof value !== "object") return value;
  if (made.has(value)) return { setpointBuilt: copied(made.get(value)) };
  if (Array.isArray(value)) return Array.from(value, (each) => kept(each, level + 1));
  const tag = Object.prototype.toString.call(value);
  if (tag === "[object Date]" || tag === "[object RegExp]") return value;
  if (tag === "[object Map]" || tag === "[object Set]") {
    for (const each of [...value].flat()) if (each !== null && typeof each === "object" && !isPlain(each)) throw new Error("not kept");
    return value;
  }
  if (!isPlain(value)) throw new Error("not kept");
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, kept(each, level + 1)]));
};

const copied = ({ name, steps, whole }) => {
  if (!whole) throw new Error("not followed");
  return { name, steps: [...steps] };
};

const note = (entry, outer, self, given) => {
  const { name, kind } = entry, count = counts.get(name) ?? 0;
  if (count >= MOST) return;
  const data = v8.serialize({ given, self }).toString("base64"), key = `${name} ${kind} ${data}`;
  if (data.length > MOST_CHARACTERS || known.has(key)) return;
  known.add(key);
  counts.set(name, count + 1);
  fs.mkdirSync(folder, { recursive: true });
  fs.appendFileSync(`${folder}/${process.pid}.jsonl`, `${JSON.stringify({ name, kind, outer, arguments: data })}\n`);
};

const enter = (entry, given, self, target) => {
  const token = { follows: undefined, inside: undefined };
  depth += 1;
  const own = entry.name.split("::").at(-1);
  const isObject = self !== null && typeof self === "object";
  if (target !== undefined) {
    if (!isObject || target.name !== own) return token;
    const first = kept(given);
    token.follows = { self, how: { name: entry.name, steps: [["", "new", first]], whole: true, depth: 0 } };
    note({ ...entry, kind: "new" }, depth === 1, undefined, first);
    return token;
  }
  const how = isObject ? made.get(self) : undefined;
  if (how === undefined) {
    if (isObject && own.includes(".") && !isPlain(self)) return token;
    if (entry.kind === "call") note(entry, depth === 1, undefined, kept(given));
    return token;
  }
  const isOuter = how.depth === 0, before = how.whole ? copied(how) : undefined;
  token.inside = how;
  how.depth += 1;
  const whole = how.whole;
  how.whole = !isOuter && whole;
  const arguments_ = kept(given);
  if (isOuter && entry.kind !== "get") how.steps.push([own.split(".").at(-1), entry.kind, arguments_]);
  how.whole = whole && how.steps.length <= MOST_STEPS;
  if (before) note(entry, depth === 1, before, arguments_);
  return token;
};

const leave = (token) => {
  depth = Math.max(0, depth - 1);
  if (token?.inside) token.inside.depth = Math.max(0, token.inside.depth - 1);
  if (token?.follows) made.set(token.follows.self, token.follows.how);
};

// What cannot be kept is left out, and the test goes on: a token is needed in any case.
const safely = (...given) => {
  const before = depth;
  try {
    return enter(...given);
  } catch {
    depth = before + 1;
    return {};
  }
};
return { enter: safely, leave };
