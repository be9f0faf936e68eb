import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeKubeconfigs, type KubeconfigFiles } from './kubeconfig-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const io = (KUBECONFIG?: string) => ({
  stdout() {},
  stderr() {},
  cwd: folder,
  env: { HOME: folder, ...(KUBECONFIG === undefined ? {} : { KUBECONFIG }) },
});
const mark = ({ first }: KubeconfigFiles) => {
  first.config.put('contexts', 'mine', { cluster: 'c', user: 'u' });
  return first.path;
};
const at = (...names: string[]) => join(folder, ...names);
const EMPTY = 'apiVersion: v1\nkind: Config\n';

test('where there is none yet, one is made that nobody else reads, and no lock stays', async () => {
  expect(await changeKubeconfigs(io(), mark)).toBe(at('.kube', 'config'));

  expect((await stat(at('.kube', 'config'))).mode & 0o777).toBe(0o600);
  expect(await readdir(at('.kube'))).toEqual(['config']);
});

test.each([
  ['the first that exists', ['b', 'c'], 'b'],
  ['the last where none does', [], 'c'],
])('of several files what is new goes to %s', async (_, existing, expected) => {
  for (const name of existing) await writeFile(at(name), EMPTY);

  expect(await changeKubeconfigs(io('a:b::c'), mark)).toBe(at(expected));

  expect((await readdir(folder)).sort()).toEqual([...new Set([...existing, expected])].sort());
  expect(await readFile(at(expected), 'utf8')).toContain('mine');
});

test('a link stays one, and the mode of the file is kept', async () => {
  await mkdir(at('kept'));
  await writeFile(at('kept', 'real'), EMPTY);
  await chmod(at('kept', 'real'), 0o640);
  await symlink(at('kept', 'real'), at('link'));

  await changeKubeconfigs(io('link'), mark);

  expect((await lstat(at('link'))).isSymbolicLink()).toBe(true);
  expect((await stat(at('kept', 'real'))).mode & 0o777).toBe(0o640);
  expect(await readFile(at('kept', 'real'), 'utf8')).toContain('mine');
});

test('a file that nothing was changed in is not written, and what is no kubeconfig file stays as it is', async () => {
  const odd = '{ "apiVersion": "v1",   "kind": "Config" }';
  await writeFile(at('a'), odd);
  await changeKubeconfigs(io('a'), () => undefined);
  expect(await readFile(at('a'), 'utf8')).toBe(odd);

  await writeFile(at('b'), 'hello');
  await expect(changeKubeconfigs(io('b'), mark)).rejects.toThrow('is no kubeconfig file');
  expect(await readFile(at('b'), 'utf8')).toBe('hello');
  expect((await readdir(folder)).sort()).toEqual(['a', 'b']);
});

test('many at once each put theirs in, one after the other', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `c${at}`);

  await Promise.all(
    names.map((name) =>
      changeKubeconfigs(io(), ({ first }) => first.config.put('contexts', name, { cluster: 'c', user: 'u' })),
    ),
  );

  await changeKubeconfigs(io(), ({ first }) => expect(first.config.names('contexts').sort()).toEqual(names.sort()));
});
