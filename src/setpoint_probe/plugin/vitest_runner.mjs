// A runner of vitest that says when a test begins and ends.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const projects = createRequire(`${process.cwd()}/package.json`);
const { VitestTestRunner } = await import(pathToFileURL(projects.resolve("vitest/runners")).href);
const spectra = globalThis[Symbol.for("setpoint.spectra")];

const nameOf = (task) => {
  const names = [];
  for (let each = task; each && each !== task.file; each = each.suite) names.unshift(each.name);
  return names.filter(Boolean).join(" ");
};

export default class extends VitestTestRunner {
  async onBeforeRunTask(task) {
    await super.onBeforeRunTask?.(task);
    spectra?.begin(task.file.filepath, nameOf(task));
  }
  async onAfterRunTask(task) {
    spectra?.end(task.file.filepath, nameOf(task));
    await super.onAfterRunTask?.(task);
  }
}
