// Starts vitest as its own command does, with a runner that says when a test begins and ends.
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const projects = createRequire(`${process.cwd()}/package.json`);
const { parseCLI, startVitest } = await import(pathToFileURL(projects.resolve("vitest/node")).href);
const { filter, options } = parseCLI(["vitest", ...process.argv.slice(2)]);
const runner = fileURLToPath(new URL("vitest_runner.mjs", import.meta.url));
// A project that brings a runner of its own keeps it.
const lent = { name: "setpoint", config: ({ test }) => (test?.runner ? undefined : { test: { runner } }) };
const vitest = await startVitest("test", filter, { ...options, run: true, watch: false }, { plugins: [lent] });
await vitest?.exit();
