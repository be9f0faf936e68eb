import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { LONG_FILES, QUICK_SUITES, SLOW_SUITES, whichFirst } from './test-plan.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const NOT_OURS = ['node_modules', 'dist', '.cache', '.git'];

interface Suite {
  name: string;
  include: string[];
  exclude?: string[];
  testTimeout?: number;
  hookTimeout?: number;
}

const { default: config } = (await import(join(ROOT, 'vitest.config.ts'))) as {
  default: { test: { testTimeout: number; hookTimeout: number; projects: { test: Suite }[] } };
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

test('npm test runs every suite once, the quick ones beside what is built and the others after it', () => {
  expect([...QUICK_SUITES, ...SLOW_SUITES].toSorted()).toEqual(suites.map(({ name }) => name).toSorted());
  expect(runner).toMatch(
    /ensureBuilt,.*suites\('quick tests', QUICK_SUITES\),\n\]\);.*suites\('slow tests', SLOW_SUITES\),/s,
  );
});

test('every file that is known to be long is still there', () => {
  expect(Object.keys(LONG_FILES).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('files go suite by suite, and in each of them the longest first', () => {
  const [longest = '', shorter = ''] = Object.keys(LONG_FILES).toSorted((a, b) => LONG_FILES[b]! - LONG_FILES[a]!);
  const files = [
    { suite: 'thorough', path: longest },
    { suite: 'integration', path: 'any.integration.test.ts' },
    { suite: 'integration', path: shorter },
    { suite: 'integration', path: longest },
  ];

  expect(files.toSorted(whichFirst).map(({ suite, path }) => [suite, path])).toEqual([
    ['integration', longest],
    ['integration', shorter],
    ['integration', 'any.integration.test.ts'],
    ['thorough', longest],
  ]);
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

const END_WITH_LIMIT = /^(?:\}, | {2}|(?:before|after|test).*\), )([0-9_]+)(?:\);|,)$/;
const BEGIN_WITH_LIMIT = /^(?:test\S*\(.*|before\w+\(.*|after\w+\(.*| )\{? ?timeout: ([0-9_]+)/;

/** What a test or a hook allows itself, line by line, and whether it is a hook. */
function limitsIn(text: string): { line: number; ms: number; isHook: boolean }[] {
  let isHook = false;
  return text.split('\n').flatMap((written, at) => {
    const begun = /^(test|it|before|after|describe)/.exec(written)?.[1];
    if (begun) isHook = begun === 'before' || begun === 'after';
    const limit = (END_WITH_LIMIT.exec(written) ?? BEGIN_WITH_LIMIT.exec(written))?.[1];
    return limit ? [{ line: at + 1, ms: Number(limit.replaceAll('_', '')), isHook }] : [];
  });
}

test('no test and no preparation allows itself less time than its suite does: on a busy machine, that is what fails', () => {
  const found = [
    ...['}, 20_000);', '  20_000,', '  timeout: 20_000,', "test('a', { timeout: 20_000 }, () => {"],
    'afterAll(() => world.close(), 20_000);',
  ];
  expect(found.flatMap(limitsIn).map(({ ms }) => ms)).toEqual(found.map(() => 20_000));

  const tooShort = testFilesBelow(ROOT).flatMap((file) => {
    const [name] = suitesOf(file);
    const suite = suites.find((each) => each.name === name);
    const { testTimeout = config.test.testTimeout, hookTimeout = config.test.hookTimeout } = suite ?? {};
    return limitsIn(readFileSync(join(ROOT, file), 'utf8'))
      .filter(({ ms, isHook }) => ms >= 1_000 && ms < (isHook ? hookTimeout : testTimeout))
      .map(({ line, ms }) => `${file}:${line} allows itself ${ms} ms`);
  });
  expect(tooShort).toEqual([]);
});
