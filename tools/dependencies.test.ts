/** Holds the manifests to the sources: what is imported is declared where it is imported, and what is declared is used. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  files,
  filesBelow,
  HOMES,
  homeOf,
  isTest,
  type Manifest,
  ROOT,
  readManifest,
  type SourceFile,
} from './sources.ts';

test('every npm package that is imported is declared by the package that imports it', () => {
  const wrong = files.flatMap((file) => {
    const declared = new Set([
      ...namesIn(readManifest(homeOf(file.path))),
      ...(mayUseRootTools(file) ? namesIn(readManifest('.')) : []),
    ]);
    return file.imports
      .map(({ from }) => from)
      .filter((from) => !from.startsWith('.') && !from.startsWith('node:') && !from.startsWith('virtual:'))
      .map((from) => (from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : (from.split('/')[0] as string)))
      .filter((name) => !declared.has(name) && name !== `@gatehouse/${file.owner}`)
      .map((name) => `${file.path} → ${name}`);
  });

  expect([...new Set(wrong)]).toEqual([]);
});

function mayUseRootTools(file: SourceFile): boolean {
  return (
    isTest(file) ||
    /vite(st)?\.config\.ts$/.test(file.path) ||
    file.owner === 'tools' ||
    file.owner === 'e2e' ||
    file.owner === 'bench'
  );
}

function namesIn({ dependencies = {}, devDependencies = {} }: Manifest): string[] {
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)];
}

test('every declared dependency is named by a source, a style or a script of its package', () => {
  const unused = ['.', ...HOMES].flatMap((home) => {
    const manifest = readManifest(home);
    const text = textOf(home, manifest);
    return namesIn(manifest)
      .filter((name) => !isNamed(name, text) && !programsOf(home, name).some((program) => isRun(program, text)))
      .map((name) => `${home}: ${name}`);
  });

  expect(unused).toEqual([]);
});

/** All that may name a dependency. What the repository itself declares is for its tools; the runner of tests is everybody's. */
function textOf(home: string, { scripts = {} }: Manifest): string {
  const below = filesBelow(join(ROOT, home === '.' ? 'tools' : home), /\.(ts|tsx|mjs|css)$/);
  const read = [...below, join(ROOT, 'vitest.config.ts')].map((path) => readFileSync(path, 'utf8'));
  return [...read, ...Object.values(scripts)].join('\n');
}

/** Types are named by what they describe, and a package with compiled parts by one of these: `name-linux-x64`. */
function isNamed(name: string, text: string): boolean {
  const described = name === '@types/node' ? 'node:fs' : name.replace(/^@types\//, '');
  return new RegExp(`['"\`]${described.replaceAll(/[./]/g, '\\$&')}['"\`/-]`).test(text);
}

/** What a package puts on the path. */
function programsOf(home: string, name: string): string[] {
  const path = [home, '.'].map((place) => join(ROOT, place, 'node_modules', name, 'package.json')).find(existsSync);
  if (path === undefined) return [];
  const { bin = {} } = JSON.parse(readFileSync(path, 'utf8')) as { bin?: string | Record<string, string> };
  return typeof bin === 'string' ? [name] : Object.keys(bin);
}

function isRun(program: string, text: string): boolean {
  return new RegExp(`(^|['"/ ])${program}($|['" ])`, 'm').test(text);
}
