// Loads TypeScript with the compiler that the project has: esbuild, typescript, or what Node brings.
import { existsSync, readFileSync } from "node:fs";
import * as modules from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { createRequire, stripTypeScriptTypes } = modules;
const TYPED = new Set([".ts", ".mts", ".cts"]);
const MORE = ["", ".ts", ".mts", ".js", ".mjs", "/index.ts", "/index.js"];
let compile;

const compilerOf = (tree) => {
  const require = createRequire(join(tree, "package.json"));
  for (const from of [require, () => createRequire(require.resolve("vite"))("esbuild"), () => createRequire(require.resolve("vitest"))("vite")]) {
    try {
      const esbuild = from === require ? require("esbuild") : from();
      if (esbuild.transformSync) return (text) => esbuild.transformSync(text, { loader: "ts", format: "esm" }).code;
    } catch {
      // It is not installed.
    }
  }
  try {
    const typescript = require("typescript");
    const options = { module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ES2022 };
    return (text) => typescript.transpileModule(text, { compilerOptions: options }).outputText;
  } catch {
    return stripTypeScriptTypes && ((text) => stripTypeScriptTypes(text, { mode: "transform" }));
  }
};

export const initialize = ({ tree }) => {
  compile = compilerOf(tree);
};

// Imports in TypeScript leave the suffix out, or name the file that it becomes.
export const resolve = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!/^\.{0,2}\//.test(specifier) || !context.parentURL?.startsWith("file:")) throw error;
    const path = join(dirname(fileURLToPath(context.parentURL)), specifier);
    const found = [...MORE.map((more) => path + more), path.replace(/\.([cm]?)js$/, ".$1ts")].find((each) => extname(each) && existsSync(each));
    if (!found) throw error;
    return { url: pathToFileURL(found).href, shortCircuit: true };
  }
};

export const load = async (url, context, next) => {
  const path = url.startsWith("file:") ? fileURLToPath(url) : "";
  if (!TYPED.has(extname(path)) || !compile) return next(url, context);
  return { format: "module", source: compile(readFileSync(path, "utf8")), shortCircuit: true };
};
