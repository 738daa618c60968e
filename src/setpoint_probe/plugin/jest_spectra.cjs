"use strict";
// A set-up file of jest, which lies in the place where the tests run, and says when a test begins and ends.
const spectra = require("./node_spectra.cjs");

if (spectra) {
  const running = () => {
    const { currentTestName, testPath } = expect.getState();
    return [testPath, currentTestName];
  };
  beforeEach(() => spectra.begin(...running()));
  afterEach(() => spectra.end(...running()));
}
