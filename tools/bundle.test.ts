/** What the bundle would make of the imports in our sources: the tests run the sources, where these all work. */
import { globSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { OUTSIDE } from './outside-bundle.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = globSync('packages/{agent,cli,gateway,tunnel}/src/**/*.ts', { cwd: ROOT }).filter(
  (file) => !file.endsWith('.test.ts'),
);
/** A package, neither ours nor Node's, that is loaded when it is needed; with the names that are taken out of it. */
const LATE_IMPORT = /(\{[^{}]*\})\s*=\s*await import\('((?!@gatehouse\/|node:|\.)[^']+)'\)/g;

function isCommonJs(name: string, from: string): boolean {
  const file = fileURLToPath(import.meta.resolve(name, pathToFileURL(from).href));
  if (extname(file) !== '.js') return extname(file) === '.cjs';
  const described = findPackageJSON(pathToFileURL(file).href);
  return !described || (JSON.parse(readFileSync(described, 'utf8')) as { type?: string }).type !== 'module';
}

test('takes no names out of bundled CommonJS that is loaded late, which has only a default there', () => {
  let seen = 0;
  const wrong: string[] = [];
  for (const file of SOURCES) {
    for (const [, names = '', name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(LATE_IMPORT)) {
      seen++;
      if (/^\{\s*default: \w+\s*\}$/.test(names) || OUTSIDE.has(name)) continue;
      if (isCommonJs(name, join(ROOT, file))) wrong.push(`${file} takes ${names} out of '${name}'`);
    }
  }
  expect(seen).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
});
