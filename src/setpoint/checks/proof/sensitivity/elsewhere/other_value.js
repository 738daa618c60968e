
function setpointWalk(given/*any*/, how/*any*/, deep/*any*/)/*any*/ {
  const probe = how.endsWith("?");
  const data = how.startsWith("v") || how.startsWith("w");
  const raise = ()/*any*/ => { throw new Error("sabotaged by Setpoint"); };
  const changed = (made/*any*/)/*any*/ => (probe ? raise() : made);
  if (deep > 4) return given;
  if (typeof given === "function") {
    if (how.startsWith("v")) return probe ? raise() : given;
    if (how === "raises") return new Proxy(given, { apply: raise, construct: raise });
    if (how === "nothing") return new Proxy(given, { apply: () => undefined });
    const inner = probe ? "w?" : "w";
    return new Proxy(given, {
      apply: (target/*any*/, self/*any*/, args/*any*/)/*any*/ =>
        setpointWalk(Reflect.apply(target, self, args), inner, deep + 1),
    });
  }
  if (given !== null && typeof given === "object") {
    if (typeof given.then === "function") return given.then((each/*any*/) => setpointWalk(each, how, deep + 1));
    if (Array.isArray(given)) {
      const cut = data && given.length > 1 ? given.slice(0, -1) : given;
      const made = cut.map((each/*any*/) => setpointWalk(each, how, deep + 1));
      if (made.every((each/*any*/, at/*any*/) => Object.is(each, given[at])) && made.length === given.length) {
        return data && given.length === 1 ? changed([]) : given;
      }
      return data ? changed(made) : made;
    }
    if (given instanceof Map || given instanceof Set) {
      const all/*any*/ = [...given];
      const made = setpointWalk(all, how, deep + 1);
      return made === all ? given : new (given.constructor/*as any*/)(made);
    }
    if (given instanceof RegExp) return data ? changed(new RegExp("(?!)", given.flags)) : given;
    const above = Object.getPrototypeOf(given);
    const values/*any*/ = Object.values(given);
    if ((above !== null && above !== Object.prototype) || values.some((each/*any*/) => typeof each === "symbol")) {
      return given;
    }
    const made/*any*/ = {};
    let some = false;
    for (const key of Object.keys(given)) {
      made[key] = setpointWalk(given[key], how, deep + 1);
      some = some || !Object.is(made[key], given[key]);
    }
    if (!some) return given;
    return data ? changed(made) : made;
  }
  if (!data) return given;
  if (typeof given === "boolean") return changed(!given);
  if (typeof given === "number") return Number.isFinite(given) ? changed(-given - 7) : given;
  if (typeof given === "bigint") return changed(-given - BigInt(7));
  if (typeof given === "string") return changed([...given].reverse().join("") + "~");
  return given;
}
