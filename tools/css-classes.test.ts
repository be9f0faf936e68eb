/** Styles and who uses them, held against each other: a class that is not there is `undefined`, and nobody is told. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['packages/console/src', 'packages/design/src'];

interface Use {
  file: string;
  styles: string;
  name: string;
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(ROOT, folder, path)),
);
const shown = (path: string) => relative(ROOT, path);

function classesIn(css: string): Set<string> {
  const text = readFileSync(css, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return new Set([...text.matchAll(/\.([A-Za-z_][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name as string));
}

/** By the names of CSS modules a file imports. A class that is looked up by a value counts for none: the types of that value hold it. */
function usesIn(file: string): Use[] {
  const text = readFileSync(file, 'utf8');
  // Words of the product and names of files have dots too.
  const code = text.replaceAll(/'[^'\n]*'/g, "''");
  return [...text.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].flatMap(([, name, path]) =>
    [...code.matchAll(new RegExp(`\\b${name}\\.([A-Za-z_]\\w*)`, 'g'))].map(([, used]) => ({
      file,
      styles: join(dirname(file), path as string),
      name: used as string,
    })),
  );
}

const declared = new Map(files.filter((path) => path.endsWith('.module.css')).map((path) => [path, classesIn(path)]));
const uses = files.filter((path) => /\.tsx?$/.test(path)).flatMap(usesIn);

test('every class that is used is declared', () => {
  expect(declared.size).toBeGreaterThan(50);
  expect(uses.length).toBeGreaterThan(500);
  const missing = uses.filter(({ styles, name }) => !declared.get(styles)?.has(name));
  expect(missing.map(({ file, name }) => `${shown(file)}: ${name}`)).toEqual([]);
});
