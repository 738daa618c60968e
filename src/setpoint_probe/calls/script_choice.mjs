// Chooses among recorded calls, and varies them.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import v8 from "node:v8";
import { isBoundary, leaves, near } from "./script_neighbours.mjs";
import { isBuilt, shortened, tell } from "./script_told.mjs";

const MOST_OF_FUNCTION = 16, MOST_NEAR = 40, MOST_CALLS = 3000, FEWEST = 200, MOST_OF_STEP = 3, MOST_MORE = 8;

const last = (name) => name.split("::").at(-1);

const shown = ({ name, kind }, { self, given }) => {
  const own = last(name).split(".").at(-1), texts = given.map((each) => shortened(tell(each))).join(", ");
  const whole = self ? `${shortened(tell({ setpointBuilt: self }), 90)}.${own}` : `${kind === "new" ? "new " : ""}${last(name)}`;
  if (kind === "get") return whole;
  return kind === "set" ? `${whole} = ${texts}` : `${whole}(${texts})`;
};

const constantsIn = (texts) =>
  texts.flatMap((text) => [
    ...[...text.matchAll(/(?<![\w."'`])-?\d+(?:\.\d+)?(?![\w"'`])/g)].flatMap(([found]) => [
      Number(found), Number(found) + 1, Number(found) - 1,
    ]),
    ...[...text.matchAll(/"([^"\\\n]{1,30})"|'([^'\\\n]{1,30})'/g)].map((found) => found[1] ?? found[2]),
  ]);

function* first(most, values) {
  for (const value of values) {
    if (most-- <= 0) return;
    yield value;
  }
}

function* otherSteps(steps, place) {
  const [name, kind, given] = steps[place];
  const put = (...more) => [...steps.slice(0, place), ...more, ...steps.slice(place + 1)];
  if (name) yield put(steps[place], steps[place]);
  for (const [at, each] of given.entries())
    for (const other of first(MOST_OF_STEP, near(each))) {
      const varied = [name, kind, [...given.slice(0, at), other, ...given.slice(at + 1)]];
      if (name) yield put(steps[place], varied);
      yield put(varied);
    }
}

// Objects that were asked for a little more, less, or other things.
function* otherSelves(self, pool) {
  const { steps } = self;
  for (const step of pool.slice(0, MOST_MORE)) yield { ...self, steps: [...steps, step] };
  for (let place = steps.length - 1; place >= 0; place--)
    for (const each of otherSteps(steps, place)) yield { ...self, steps: each };
  for (let place = 1; place < steps.length; place++) yield { ...self, steps: steps.filter((_, at) => at !== place) };
}

function* varied({ self, given }, constants, pool, known) {
  const ways = given.map((value, place) => ({
    values: isBuilt(value) ? [] : [...near(value), ...constants.filter((each) => typeof each === typeof value)],
    put: (other) => ({ self, given: [...given.slice(0, place), other, ...given.slice(place + 1)] }),
  }));
  if (self) ways.push({ values: [...first(60, otherSelves(self, pool))], put: (other) => ({ self: other, given }) });
  for (let turn = 0; ways.some((way) => turn < way.values.length); turn++)
    for (const { values, put } of ways) {
      if (turn >= values.length) continue;
      const other = put(values[turn]), text = told(other);
      if (known.has(text)) continue;
      known.add(text);
      yield other;
    }
}

const told = ({ self, given }) => `${self ? tell({ setpointBuilt: self }) : ""} ${tell(given)}`;

// The same with one argument empty, zero, negative or nothing.
function* bare({ self, given }, known) {
  for (const [place, value] of given.entries()) {
    const empty = typeof value === "number" ? [0, -1] : typeof value === "string" ? [""] : Array.isArray(value) ? [[]] : [];
    for (const other of [...empty, undefined, null]) {
      const varied = { self, given: [...given.slice(0, place), other, ...given.slice(place + 1)] }, text = told(varied);
      if (known.has(text)) continue;
      known.add(text);
      yield varied;
    }
  }
}

const recordedIn = (folder) => {
  const groups = new Map();
  for (const file of readdirSync(folder).sort())
    for (const line of readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean)) {
      const { name, kind, outer, arguments: data } = JSON.parse(line), key = `${name} ${kind}`;
      if (!groups.has(key)) groups.set(key, { name, kind, entries: [] });
      groups.get(key).entries.push({ outer, ...v8.deserialize(Buffer.from(data, "base64")) });
    }
  return groups;
};

const poolOf = (groups, owner) =>
  [...groups.values()]
    .filter(({ name, kind }) => kind !== "get" && name.startsWith(`${owner}.`))
    .flatMap(({ name, kind, entries }) => entries.slice(0, 4).map(({ given }) => [last(name).split(".").at(-1), kind, given]));

export const chosen = (request) => {
  const groups = recordedIn(request.recorded), found = [];
  const wanted = [...groups.values()].filter(({ name }) => name in request.functions);
  const places = Object.keys(request.functions);
  wanted.sort((one, other) => places.indexOf(one.name) - places.indexOf(other.name));
  for (const { name, kind, entries } of wanted) {
    entries.sort((one, other) => told(one).length - told(other).length);
    const known = new Set(entries.map(told)), constants = constantsIn(request.texts[name] ?? []);
    const end = found.length + Math.max(FEWEST, Math.floor(MOST_CALLS / wanted.length));
    for (const entry of entries.slice(0, MOST_OF_FUNCTION)) {
      if (found.length >= end) break;
      const of = found.length, { self, given, outer } = entry;
      const call = { number: of, name, shown: shown({ name, kind }, entry), of: -1, outer };
      call.boundary = given.every(isBoundary);
      call.leaves = [...leaves(given)].slice(0, 40);
      found.push({ call, kind, self, given });
      const pool = self ? poolOf(groups, self.name) : [];
      for (const other of first(Math.min(MOST_NEAR, end - found.length), varied(entry, constants, pool, known))) {
        const more = { number: found.length, shown: shown({ name, kind }, other), of, boundary: false, leaves: [] };
        found.push({ call: { ...call, ...more }, kind, ...other });
      }
      for (const other of request.guarded.includes(name) ? bare(entry, known) : []) {
        const odd = other.given.some((value, place) => (value ?? null) === null && (given[place] ?? null) !== null);
        const more = { number: found.length, shown: shown({ name, kind }, other), of, boundary: false, leaves: [], odd };
        found.push({ call: { ...call, ...more }, kind, ...other });
      }
    }
  }
  return found.slice(0, MOST_CALLS);
};
