// What the language itself holds: the names of the global object, and what its built-in objects have.
import vm from "node:vm";

const OURS = new Set(["console", "globalThis", "setpointCalls"]);
const BUILT_IN = vm.runInNewContext("Object.getOwnPropertyNames(globalThis)").filter((name) => !OURS.has(name));

const held = (found, name, value) => {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return;
  for (const key of Reflect.ownKeys(value)) {
    const { value: own, get } = Object.getOwnPropertyDescriptor(value, key);
    if (key !== "constructor") found.set(`${name}.${String(key)}`, get ?? own);
  }
};

export const snapshot = () => {
  const found = new Map();
  for (const name of Object.getOwnPropertyNames(globalThis)) if (!OURS.has(name)) found.set(name, "");
  for (const name of BUILT_IN) {
    const value = Object.getOwnPropertyDescriptor(globalThis, name)?.value;
    found.set(name, value);
    held(found, name, value);
    if (typeof value === "function") held(found, `${name}.prototype`, value.prototype);
  }
  return found;
};

// Names that are there now and were not, that are gone, or that hold something else.
export const altered = (before, after) =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !(before.has(name) && after.has(name) && Object.is(before.get(name), after.get(name))),
  );
