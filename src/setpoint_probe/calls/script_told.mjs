// What can be told of a value from outside, as a text that is the same for equal values.
const MOST_PARTS = 4000, MOST_SHOWN = 60;

export const isBuilt = (value) => value !== null && typeof value === "object" && value.setpointBuilt !== undefined;

const stepShown = ([name, kind, given]) =>
  kind === "set" ? `.${name} = ${given.map(tell)}` : `${name && "."}${name}(${given.map(tell).join(", ")})`;

const builtShown = ({ name, steps }) => `new ${name.split("::").at(-1)}${steps.map(stepShown).join("")}`;

export const tell = (value) => {
  let left = MOST_PARTS;
  const say = (each, depth) => {
    if (--left < 0 || depth > 6) return "...";
    if (typeof each === "string") return JSON.stringify(each);
    if (typeof each === "number") return Number.isFinite(each) ? String(Number((each + 0).toPrecision(12))) : String(each);
    if (typeof each === "bigint") return `${each}n`;
    if (typeof each === "function") return "a function";
    if (each === null || typeof each !== "object") return String(each);
    if (isBuilt(each)) return builtShown(each.setpointBuilt);
    if (each instanceof Date) return `Date ${+each}`;
    if (each instanceof RegExp) return `RegExp ${each}`;
    if (each instanceof Error) return `${each.name} ${each.message}`;
    if (Array.isArray(each)) return `[${each.map((held) => say(held, depth + 1)).join(", ")}]`;
    if (ArrayBuffer.isView(each)) return `${each.constructor.name}[${each}]`;
    const name = each.constructor?.name ?? "";
    if (each instanceof Map) return `Map{${[...each].map((pair) => say(pair, depth + 1)).sort().join(", ")}}`;
    if (each instanceof Set) return `Set{${[...each].map((held) => say(held, depth + 1)).sort().join(", ")}}`;
    const pairs = Object.entries(each).map(([key, held]) => `${key}: ${say(held, depth + 1)}`);
    return `${name === "Object" ? "" : name}{${pairs.sort().join(", ")}}`;
  };
  return say(value, 0);
};

export const shortened = (text, most = MOST_SHOWN) => (text.length <= most ? text : `${text.slice(0, most - 3)}...`);

// What is compared by its kind alone.
export const vagueIn = (value, depth = 0) => {
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object" || depth > 4) return "";
  if (value instanceof WeakMap || value instanceof WeakSet) return `an object of ${value.constructor.name}`;
  for (const each of Object.values(value)) if (vagueIn(each, depth + 1)) return vagueIn(each, depth + 1);
  return "";
};

export const hasClass = (value) => {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const kind = Object.getPrototypeOf(value)?.constructor;
  return typeof kind === "function" && !/\{\s*\[native code\]\s*\}\s*$/.test(Function.prototype.toString.call(kind));
};

// What is public of an object: its own properties and getters of its class, unless they begin with "_".
export const publicOf = (value) => {
  const names = new Set(Object.keys(value));
  for (let above = Object.getPrototypeOf(value); above && above !== Object.prototype; above = Object.getPrototypeOf(above))
    for (const [name, held] of Object.entries(Object.getOwnPropertyDescriptors(above))) if (held.get) names.add(name);
  const seen = {};
  for (const name of names) {
    if (name.startsWith("_")) continue;
    try {
      seen[name] = tell(value[name]);
    } catch {
      seen[name] = "throws";
    }
  }
  if (typeof value[Symbol.iterator] === "function") {
    try {
      let left = 60;
      const items = [];
      for (const each of value) if (left-- > 0) items.push(each); else break;
      seen["its items"] = tell(items);
    } catch {
      seen["its items"] = "throws";
    }
  }
  return seen;
};
