import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeTree } from './remove-tree.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-remove-'));
  await mkdir(join(root, 'victim'));
  await writeFile(join(root, 'victim', 'precious'), 'x');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const remove = (name: string) => removeTree(Buffer.from(root), Buffer.from(name));

test('a folder goes with all that is in it, and links in it go as links', async () => {
  await mkdir(join(root, 'old', 'deep', 'er'), { recursive: true });
  await writeFile(join(root, 'old', 'deep', 'er', 'file'), 'x');
  await symlink(join(root, 'victim'), join(root, 'old', 'link'));

  expect(await remove('old')).toEqual({ removed: 5, isDone: true });
  expect(await readdir(root)).toEqual(['victim']);
  expect(await readdir(join(root, 'victim'))).toEqual(['precious']);
});

test('a link is not entered, whatever it was a moment before', async () => {
  await symlink(join(root, 'victim'), join(root, 'link'));

  await expect(remove('link')).rejects.toThrow();
  expect(await readdir(join(root, 'victim'))).toEqual(['precious']);
});

test('much is removed in several goes', async () => {
  await mkdir(join(root, 'large'));
  await Promise.all(Array.from({ length: 2_500 }, (_, index) => writeFile(join(root, 'large', `f${index}`), '')));

  expect(await remove('large')).toEqual({ removed: 2_000, isDone: false });
  expect(await remove('large')).toEqual({ removed: 501, isDone: true });
});

test('whoever swaps a folder for a link while it is removed has nothing else emptied', async () => {
  for (let round = 0; round < 40; round++) {
    const sub = join(root, 'old', 'sub');
    await mkdir(sub, { recursive: true });
    for (let file = 0; file < 10; file++) await writeFile(join(sub, `precious${file === 0 ? '' : file}`), '');
    let isOver = false;
    const swapping = (async () => {
      while (!isOver) {
        await rename(sub, join(root, `aside${round}`)).catch(() => {});
        await symlink(join(root, 'victim'), sub).catch(() => {});
        await rm(sub).catch(() => {});
        await rename(join(root, `aside${round}`), sub).catch(() => {});
      }
    })();
    await remove('old').catch(() => {});
    isOver = true;
    await swapping;
    await rm(join(root, 'old'), { recursive: true, force: true });

    expect(await readdir(join(root, 'victim'))).toEqual(['precious']);
  }
});
