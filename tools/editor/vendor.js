// Makes the one script and the file of licenses in book/_parts/exercise/vendor.
import {build} from "esbuild";
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";

const here = import.meta.dirname;
const target = join(here, "../../book/_parts/exercise/vendor");
const made = await build({
  absWorkingDir: here, entryPoints: ["entry.js"], bundle: true, minify: true, format: "iife",
  globalName: "courseEditor", target: "es2022", legalComments: "none",
  metafile: true, write: false,
});

// Only packages of which some bytes are in the script.
const inputs = Object.values(made.metafile.outputs)[0].inputs;
const names = new Set(Object.entries(inputs).filter(([, {bytesInOutput}]) => bytesInOutput)
  .map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean));
const packages = [...names].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const {version, license} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const text = readFileSync(join(folder, "LICENSE"), "utf8").trim();
  if (license !== "MIT") throw new Error(`${name} has another license: ${license}`);
  return {name: `${name} ${version}`, text};
});

const head = `/*!
 * CodeMirror 6, the parts in tools/editor/entry.js, as the global \`courseEditor\`.
 * Made by \`npm ci && npm run vendor\` in tools/editor; not to be edited by hand.
 *
${packages.map(({name}) => ` * ${name}\n`).join("")} *
 * All by Marijn Haverbeke and others, under the MIT License: see LICENSES.txt beside this file.
 */
`;
mkdirSync(target, {recursive: true});
writeFileSync(join(target, "codemirror.js"), head + made.outputFiles[0].text);

// Packages with the same text share it.
const texts = [...new Set(packages.map(({text}) => text))];
const licenses = texts.map((text) => packages.filter((one) => one.text === text)
  .map(({name}) => name).join("\n") + "\n\n" + text + "\n");
writeFileSync(join(target, "LICENSES.txt"), licenses.join("\n" + "-".repeat(72) + "\n\n"));
