import { mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { behindLink, writeOwn } from './write-own.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-write-own-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a link stays one, and what it leads to is written', async () => {
  const [kept, link] = [join(folder, 'kept'), join(folder, 'link')];
  await writeFile(kept, 'before', { mode: 0o644 });
  await symlink('kept', link);
  await writeOwn(await behindLink(link), 'after');

  expect([await readlink(link), await readFile(kept, 'utf8')]).toEqual(['kept', 'after']);
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
});

test('a link that leads nowhere is refused in words, and a file that is none is itself', async () => {
  const link = join(folder, 'link');
  await symlink('nowhere', link);

  await expect(behindLink(link)).rejects.toThrow('is a link that leads nowhere');
  expect(await behindLink(join(folder, 'new'))).toBe(join(folder, 'new'));
});
