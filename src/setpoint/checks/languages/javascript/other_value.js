
function setpointOther(given/*any*/, probe/*any*/, deep/*any*/)/*any*/ {
  const other = (each/*any*/)/*any*/ => setpointOther(each, probe, deep + 1);
  const changed = (made/*any*/)/*any*/ => {
    if (probe) throw new Error("sabotaged by Setpoint");
    return made;
  };
  if (deep > 4) return given;
  if (typeof given === "boolean") return changed(!given);
  if (typeof given === "number") return Number.isFinite(given) ? changed(-given - 7) : given;
  if (typeof given === "bigint") return changed(-given - BigInt(7));
  if (typeof given === "string") return changed([...given].reverse().join("") + "~");
  if (typeof given === "function") {
    return new Proxy(given, {
      apply: (target/*any*/, self/*any*/, args/*any*/)/*any*/ => other(Reflect.apply(target, self, args)),
    });
  }
  if (given === null || typeof given !== "object") return given;
  if (typeof given.then === "function") return given.then(other);
  if (Array.isArray(given)) {
    const made = (given.length > 1 ? given.slice(0, -1) : given).map(other);
    if (made.length < given.length || made.some((each/*any*/, at/*any*/) => !Object.is(each, given[at]))) {
      return changed(made);
    }
    return given.length === 1 ? changed([]) : given;
  }
  if (given instanceof Map || given instanceof Set) {
    const all/*any*/ = [...given];
    const made = other(all);
    return made === all ? given : new (given.constructor/*as any*/)(made);
  }
  if (given instanceof RegExp) return changed(new RegExp("(?!)", given.flags));
  const above = Object.getPrototypeOf(given);
  const values/*any*/ = Object.values(given);
  if ((above !== null && above !== Object.prototype) || values.some((each/*any*/) => typeof each === "symbol")) {
    return given;
  }
  const made/*any*/ = {};
  let some = false;
  for (const key of Object.keys(given)) {
    made[key] = other(given[key]);
    some = some || !Object.is(made[key], given[key]);
  }
  return some ? changed(made) : given;
}
