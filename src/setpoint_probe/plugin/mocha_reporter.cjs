// A reporter for mocha that writes the report of jest.
"use strict";
const fs = require("node:fs");

module.exports = class {
  constructor(runner, options) {
    const files = new Map();
    const add = (test, status, error) => {
      const name = test.file ?? test.parent?.file ?? "?";
      if (!files.has(name)) files.set(name, { name, status: "passed", message: "", assertionResults: [] });
      const file = files.get(name);
      if (status === "failed") file.status = "failed";
      const path = typeof test.titlePath === "function" ? test.titlePath() : [test.fullTitle()];
      const said = error ? `${error.stack ?? ""}` || `${error.message ?? error}` : "";
      file.assertionResults.push({
        ancestorTitles: path.slice(0, -1),
        title: path.at(-1),
        status,
        failureMessages: error ? [said] : [],
        location: null,
      });
    };
    const spectra = globalThis[Symbol.for("setpoint.spectra")]; // there where a run is watched test by test
    const named = (test) => [test.file ?? test.parent?.file ?? "?", test.titlePath().join(" ")];
    let open = null;
    const end = () => {
      if (open) spectra.end(...open);
      open = null;
    };
    const begin = (test) => {
      end(); // of a test that a hook ended, mocha does not say that it ended
      open = named(test);
      spectra.begin(...open);
    };
    if (spectra) runner.on("test", begin).on("test end", end);
    runner.on("pass", (test) => add(test, "passed"));
    runner.on("pending", (test) => add(test, "pending"));
    runner.on("fail", (test, error) => add(test, "failed", error));
    runner.once("end", () => {
      const testResults = [...files.values()];
      const tests = testResults.flatMap((file) => file.assertionResults);
      const failed = tests.filter((test) => test.status === "failed").length;
      const report = { numTotalTests: tests.length, numFailedTests: failed, success: failed === 0, testResults };
      fs.writeFileSync(options.reporterOptions?.output ?? options.reporterOption?.output, JSON.stringify(report));
    });
  }
};
