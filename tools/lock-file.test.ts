import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { completeLock, missingOptional } from './complete-lock.mjs';

interface LockEntry {
  resolved?: string;
  link?: boolean;
  integrity?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  os?: string[];
  libc?: string[];
}

const lock = JSON.parse(readFileSync(join(resolve(import.meta.dirname, '..'), 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockEntry>;
};
const entries = Object.entries(lock.packages);

test('the lock file names no registry', () => {
  expect(entries.filter(([, { resolved }]) => resolved?.startsWith('http'))).toEqual([]);
});

test('the lock file of the PostgreSQL that tests fetch names none either, and has both architectures', () => {
  const file = join(import.meta.dirname, '../packages/testkit/postgres-18/package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as typeof lock;
  const found = Object.entries(packages).filter(([path]) => path !== '');

  expect(found.map(([path]) => path.split('/').at(-1))).toEqual(['linux-arm64', 'linux-x64']);
  expect(found.every(([, { resolved, integrity }]) => resolved === undefined && integrity !== undefined)).toBe(true);
});

test('the lock file of the client of Kubernetes that tests fetch names none, and has the integrity of all', () => {
  const file = join(import.meta.dirname, '../packages/testkit/client-node/package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as typeof lock;
  const found = Object.entries(packages).filter(([path]) => path !== '');

  expect(found.length).toBeGreaterThan(10);
  expect(found.filter(([, { resolved, integrity }]) => resolved !== undefined || integrity === undefined)).toEqual([]);
});

test('every optional package has an entry, or npm ci refuses the lock file', () => {
  expect(missingOptional(lock)).toEqual([]);
});

test('everything that is installed on Linux has its integrity', () => {
  const unchecked = entries.filter(
    ([path, { link, integrity, os, libc }]) =>
      path.startsWith('node_modules/') &&
      !link &&
      !integrity &&
      (!os || os.includes('linux')) &&
      !libc?.includes('musl'),
  );

  expect(unchecked.map(([path]) => path).filter((path) => !/binding-linux-(arm|ppc64|s390x)-gnu/.test(path))).toEqual(
    [],
  );
});

test('native packages come for both architectures', () => {
  for (const name of ['node-linux-', '@rolldown/binding-linux-', '@biomejs/cli-linux-', '@esbuild/linux-']) {
    const found = entries.map(([path]) => path).filter((path) => path.includes(`node_modules/${name}`));
    expect([name, found.some((path) => path.includes('x64')), found.some((path) => path.includes('arm64'))]).toEqual([
      name,
      true,
      true,
    ]);
  }
});

test('completing a complete lock file changes nothing', () => {
  expect(JSON.stringify(completeLock(lock))).toBe(JSON.stringify(lock));
});
