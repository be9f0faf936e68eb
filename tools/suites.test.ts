import { readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const NOT_OURS = ['node_modules', 'dist', '.cache', '.git'];

interface Suite {
  name: string;
  include: string[];
  exclude?: string[];
}

const { default: config } = (await import(join(ROOT, 'vitest.config.ts'))) as {
  default: { test: { projects: { test: Suite }[] } };
};
const suites = config.test.projects.map((project) => project.test);
const runner = readFileSync(join(ROOT, 'tools', 'test.mjs'), 'utf8');

function testFilesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.includes(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return testFilesBelow(path);
    return /\.(test|spec)\.[cm]?[jt]sx?$/.test(entry.name) ? [relative(ROOT, path)] : [];
  });
}

function suitesOf(file: string): string[] {
  const fits = (globs: string[] = []) => globs.some((glob) => matchesGlob(file, glob));
  return suites.filter(({ include, exclude }) => fits(include) && !fits(exclude)).map(({ name }) => name);
}

test('every test file is run by one suite, and no test is forgotten or run twice', () => {
  const files = testFilesBelow(ROOT);

  expect(files.length).toBeGreaterThan(100);
  expect(files.map((file) => [file, suitesOf(file)]).filter(([, names]) => names?.length !== 1)).toEqual([]);
});

test('npm test runs every suite', () => {
  expect(
    suites
      .map(({ name }) => name)
      .filter(
        (name) => !new RegExp(`^ *(\\(\\) => suite|\\.\\.\\.shares)\\('${name}'(, \\d+)?\\),$`, 'm').test(runner),
      ),
  ).toEqual([]);
});

test.each([
  ['packages/gateway/src/access/decide.test.ts', 'unit'],
  ['packages/gateway/src/access/decide.thorough.test.ts', 'thorough'],
  ['packages/gateway/src/access/any.alone.test.ts', 'alone'],
  ['packages/console/src/platform/i18n/words.test.ts', 'dom'],
  ['packages/console/src/platform/i18n/pseudo.thorough.test.tsx', 'thorough-dom'],
  ['packages/tunnel/src/tunnel.integration.test.ts', 'integration'],
  ['e2e/any.test.ts', 'browser'],
  ['e2e/any-screens.test.ts', 'screens'],
])('%s is a test of the suite %s', (file, suite) => {
  expect(suitesOf(file)).toEqual([suite]);
});
