/** Our own sources with what they import, read once for the tests that hold how they hang together. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '..');
export const HOMES = [
  'packages/contract',
  'packages/tunnel',
  'packages/gateway',
  'packages/agent',
  'packages/cli',
  'packages/console',
  'packages/design',
  'packages/testkit',
  'e2e',
  'bench',
  'fuzz',
  'tools',
];

export interface SourceFile {
  path: string;
  owner: string;
  text: string;
  imports: { from: string; dynamic: boolean }[];
}

export const files = HOMES.flatMap((group) =>
  filesBelow(join(ROOT, group), /\.(ts|tsx|mjs)$/).map((path) => readSource(group, path)),
);

export function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist') return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, ending);
    return ending.test(entry.name) ? [path] : [];
  });
}

function readSource(group: string, path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const statics = [...text.matchAll(/^(?:import|export)\s+(?:type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)];
  const dynamics = [...text.matchAll(/import\(\s*'([^']+)'\s*\)/g)];
  return {
    path: relative(ROOT, path),
    owner: group.replace('packages/', ''),
    text,
    imports: [
      ...statics.map(([, from]) => ({ from: from as string, dynamic: false })),
      ...dynamics.map(([, from]) => ({ from: from as string, dynamic: true })),
    ],
  };
}

export const isTest = (file: Pick<SourceFile, 'path'>) =>
  /\.test\.tsx?$/.test(file.path) || file.path.includes('/testing/');

/** The folder of the package a file belongs to. */
export function homeOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('packages/') ? 2 : 1)
    .join('/');
}

export interface Manifest {
  name: string;
  exports?: Record<string, string>;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export function readManifest(home: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, home, 'package.json'), 'utf8')) as Manifest;
}

const paths = new Set(files.map(({ path }) => path));
const exported = new Map(HOMES.map((home) => [readManifest(home).name, { home, exports: readManifest(home).exports }]));

/** The file of ours that an import names; undefined: a style, a virtual module or somebody else's package. */
export function targetOf({ path }: SourceFile, from: string): string | undefined {
  const target = from.startsWith('.') ? join(dirname(path), from) : exportedFile(from);
  return target !== undefined && paths.has(target) ? target : undefined;
}

function exportedFile(from: string): string | undefined {
  const [, name = '', rest = ''] = /^(@gatehouse\/[^/]+)\/(.+)$/.exec(from) ?? [];
  const { home, exports = {} } = exported.get(name) ?? {};
  if (home === undefined) return undefined;
  for (const [key, file] of Object.entries(exports)) {
    const [start = '', end] = key.slice(2).split('*');
    if (end === undefined && start === rest) return join(home, file);
    if (end === undefined || !rest.startsWith(start) || !rest.endsWith(end)) continue;
    return join(home, file.replace('*', rest.slice(start.length, rest.length - end.length)));
  }
  return undefined;
}
