// Copies what the slides need of reveal.js, with its license, to the folder vendor.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const target = join(here, "vendor");
mkdirSync(target, { recursive: true });
for (const file of ["dist/reveal.js", "dist/reveal.css", "LICENSE"]) {
  const name = file.split("/").at(-1) ?? file;
  copyFileSync(join(here, "node_modules/reveal.js", file), join(target, name));
}
