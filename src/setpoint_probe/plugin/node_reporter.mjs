// A reporter for `node --test` that writes the report of jest. It runs in the process that starts the test files,
// not in those that run them.
import { isAbsolute } from "node:path";

const status = (data, passed) => {
  if (data.skip !== undefined && data.skip !== false) return "skipped";
  if (data.todo !== undefined && data.todo !== false) return "todo";
  return passed ? "passed" : "failed";
};

const cause = (error) => {
  const inner = error?.cause ?? error;
  const stack = inner?.stack ?? String(inner?.message ?? inner ?? "");
  const kind = error?.failureType === "testTimeoutFailure" ? "testTimeoutFailure: " : "";
  return kind + stack;
};

export default async function* report(source) {
  const files = new Map();
  const open = [];
  const fileOf = (name) => {
    if (!files.has(name)) {
      files.set(name, { name, status: "passed", message: "", assertionResults: [], said: [] });
    }
    return files.get(name);
  };
  for await (const { type, data } of source) {
    if (type === "test:stderr" || type === "test:stdout") {
      const said = fileOf(data.file).said;
      if (said.length < 200) said.push(data.message);
    } else if (type === "test:start") {
      open.length = data.nesting;
      open.push(data.name);
    } else if (type === "test:pass" || type === "test:fail") {
      const whole = isAbsolute(data.name) && data.nesting === 0 && (!data.file || data.file === data.name);
      const file = fileOf(whole ? data.name : (data.file ?? "?"));
      const passed = type === "test:pass";
      if (!passed && status(data, false) === "failed") file.status = "failed";
      if (whole) {
        if (!passed) file.message = file.said.join("").slice(-4000) || cause(data.details?.error);
      } else if (data.details?.type !== "suite" || (!passed && data.details?.error?.failureType !== "subtestsFailed")) {
        file.assertionResults.push({
          ancestorTitles: open.slice(0, data.nesting),
          title: data.name,
          status: status(data, passed),
          failureMessages: passed ? [] : [cause(data.details?.error)],
          location: data.line ? { line: data.line } : null,
        });
      }
    }
  }
  const testResults = [...files.values()].map(({ said, ...file }) => file);
  const tests = testResults.flatMap((file) => file.assertionResults);
  const failed = tests.filter((test) => test.status === "failed").length;
  const success = testResults.every((file) => file.status === "passed");
  yield JSON.stringify({ numTotalTests: tests.length, numFailedTests: failed, success, testResults });
}
