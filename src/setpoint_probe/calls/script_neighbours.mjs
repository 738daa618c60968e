// Values near to a value, of the same type and kind, in a fixed order.
const MOST = 48, MOST_ITEMS = 6, MOST_OF_ITEM = 6, MOST_LETTERS = 24, DEEPEST = 3;
const STEPS = [1, -1, 10, -10, 2, 100, -2, 20];
const PARTS = [0.5, -0.5, 1, -1, 0.1, 10];

const spread = (size, most) =>
  size <= most
    ? [...Array(Math.max(size, 0)).keys()]
    : [...new Set([...Array(most).keys()].map((place) => Math.floor((place * size) / most)))];

function* merged(...ways) {
  const left = ways.map((way) => way[Symbol.iterator]());
  while (left.length) {
    for (const way of [...left]) {
      const { value, done } = way.next();
      if (done) left.splice(left.indexOf(way), 1);
      else yield value;
    }
  }
}

function* first(most, values) {
  for (const value of values) {
    if (most-- <= 0) return;
    yield value;
  }
}

function* numbers(value) {
  if (!Number.isFinite(value)) return;
  const steps = Number.isInteger(value)
    ? [...STEPS.map((step) => value + step), value * 2, -value, value * 10, Math.floor(value / 2), 0, value * 3]
    : [Math.floor(value) + 0.5, Math.floor(value), ...PARTS.map((part) => value + part), value * 2, -value, 0];
  yield* new Set(steps.filter((each) => each !== value));
}

const otherLetters = (letter) => {
  if (/[0-9]/.test(letter)) return [1, 9, 4].map((step) => String((Number(letter) + step) % 10));
  if (!/[a-zA-Z]/.test(letter)) return [];
  const start = /[a-z]/.test(letter) ? 97 : 65;
  return [1, 7].map((step) => String.fromCharCode(start + ((letter.charCodeAt(0) - start + step) % 26)));
};

function* withOtherLetters(letters) {
  for (const place of spread(letters.length, MOST_LETTERS))
    for (const other of otherLetters(letters[place]))
      yield [...letters.slice(0, place), other, ...letters.slice(place + 1)].join("");
}

function* ofOtherSize(letters) {
  const text = letters.join("");
  if (!text) return;
  const letter = letters.find((each) => /[a-zA-Z0-9]/.test(each)) ?? "x";
  yield* [text + letter, letter + text, letters.slice(0, -1).join(""), letters.slice(1).join("")];
  yield* [text + text, `${text} ${text}`];
  for (const place of spread(letters.length, 8)) {
    yield [...letters.slice(0, place), ...letters.slice(place + 1)].join("");
    yield [...letters.slice(0, place), letter, ...letters.slice(place)].join("");
  }
  yield* [text.toUpperCase(), text.toLowerCase()].filter((each) => each !== text);
  yield* [[...letters].reverse().join(""), ""];
}

function* otherItems(items, depth) {
  const ways = spread(items.length, MOST_ITEMS).map(function* (place) {
    for (const other of first(MOST_OF_ITEM, near(items[place], depth + 1)))
      yield [...items.slice(0, place), other, ...items.slice(place + 1)];
  });
  yield* merged(...ways);
}

function* otherPlaces(items) {
  for (const place of spread(items.length, MOST_ITEMS)) {
    yield [...items.slice(0, place), ...items.slice(place + 1)];
    yield [...items.slice(0, place), items[place], ...items.slice(place)];
  }
  for (const place of spread(items.length - 1, MOST_ITEMS))
    yield [...items.slice(0, place), items[place + 1], items[place], ...items.slice(place + 2)];
  if (items.length > 1) yield* [[...items].reverse(), [...items, ...items], []];
}

function* objects(value, depth) {
  for (const key of Object.keys(value).slice(0, MOST_ITEMS)) {
    for (const other of first(MOST_OF_ITEM, near(value[key], depth + 1))) yield { ...value, [key]: other };
    const { [key]: _, ...left } = value;
    yield left;
  }
}

function* every(value, depth) {
  if (typeof value === "boolean") yield !value;
  else if (typeof value === "number") yield* numbers(value);
  else if (typeof value === "bigint") yield* [1n, -1n, 10n, 2n, -2n].map((step) => value + step);
  else if (typeof value === "string") yield* merged(withOtherLetters([...value]), ofOtherSize([...value]));
  else if (Array.isArray(value)) yield* merged(otherItems(value, depth), otherPlaces(value));
  else if (value instanceof Date) yield* [1, 60, 86400, -86400, 31536000].map((s) => new Date(+value + s * 1000));
  else if (value instanceof Set) for (const each of every([...value], depth)) yield new Set(each);
  else if (value instanceof Map) {
    for (const [key, held] of value)
      for (const other of first(MOST_OF_ITEM, near(held, depth + 1))) yield new Map(value).set(key, other);
  } else if (value !== null && typeof value === "object" && !(value instanceof RegExp)) yield* objects(value, depth);
}

export function* near(value, depth = 0) {
  if (depth <= DEEPEST) yield* first(MOST, every(value, depth));
}

export const isBoundary = (value) => {
  if (value === null || value === undefined || typeof value === "boolean") return true;
  if (typeof value === "number") return [-1, 0, 1].includes(value) || !Number.isFinite(value);
  if (typeof value === "string") return [...value].length <= 1;
  if (Array.isArray(value)) return value.length <= 1 && value.every(isBoundary);
  return typeof value === "object" && Object.keys(value).length === 0 && !value.size && !(value instanceof Date);
};

export function* leaves(value, depth = 0) {
  if (depth > DEEPEST) return;
  if (typeof value === "number" || typeof value === "string") yield String(value);
  else if (value !== null && typeof value === "object")
    for (const [key, held] of Object.entries(value)) {
      if (!Array.isArray(value)) yield key;
      yield* leaves(held, depth + 1);
    }
}
