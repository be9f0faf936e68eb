/** Holds the pages about the code to the code: a file or folder that they name is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './sources.ts';

/** Where the pages count from: the repository, its packages, and for most the gateway. */
const FROM = ['', 'packages', 'packages/gateway', 'packages/gateway/src', 'packages/gateway/src/sessions'];

test.each(['architecture.md', 'adding-a-kind.md'])('every path that %s names is there', (page) => {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const named = [...text.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path]) => path as string);
  // `contract/src/kinds` is also written `contract/kinds`.
  const isThere = (path: string) =>
    [path, path.replace('/', '/src/')].some((each) => FROM.some((from) => existsSync(join(ROOT, from, each))));

  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});
