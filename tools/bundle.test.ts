/** What the bundle would make of the imports in our sources: the tests run the sources, where these all work. */
import { globSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { OUTSIDE } from './outside-bundle.mjs';
import { files, targetOf } from './sources.ts';

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

test('every thread that is started has a program of its own in the bundle', () => {
  const started = SOURCES.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/workerUrl\('([\w-]+)'/g)].map(([, name]) => name),
  );
  const bundled = readFileSync(join(import.meta.dirname, 'bundle.mjs'), 'utf8');

  expect(started.length).toBeGreaterThan(4);
  expect(started.filter((name) => !bundled.includes(`/${name}.ts'`))).toEqual([]);
});

/** Each is loaded by every start of a gateway, and the last by every command. */
const STARTED = ['gateway/src/gateway.ts', 'gateway/src/compose/preflight/preflight.ts', 'cli/src/gatehouse.ts'];
/** A type is gone from the bundle; a package that only an import of types names is not loaded. */
const LOADED_AT_ONCE = /^(?:import|export)\s+(?!type\s)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

test('a start loads no package that stays outside the bundle because few need it', () => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const seen = new Set(STARTED.map((path) => `packages/${path}`));
  const wrong: string[] = [];
  // What is found is added to what is walked through.
  for (const path of seen) {
    const file = byPath.get(path)!;
    for (const [, from = ''] of file.text.matchAll(LOADED_AT_ONCE)) {
      const target = targetOf(file, from);
      if (target !== undefined) seen.add(target);
      else if (OUTSIDE.has(from)) wrong.push(`${path} loads '${from}'`);
    }
  }
  expect(seen.size).toBeGreaterThan(500);
  expect(wrong).toEqual([]);
});
