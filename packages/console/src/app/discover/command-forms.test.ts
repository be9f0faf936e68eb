import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandAs, formsFor } from './command-forms.ts';

/** Quoted as shells quote, and with what a careless form would let expand. */
const COMMAND = `sudo sh -c "$(curl -fsSL -k --pinnedpubkey 'sha256//a+b=' 'https://gate.test/scripts/0f/install-app.sh?name=a%27b&uri=http%3A%2F%2Fx')"`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-forms-'));
  const program = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  program('docker', `printf '%s\\0' "$@" >'${folder}/docker.args'`);
  program('kubectl', `printf '%s\\0' "$@" >'${folder}/kubectl.args'; cat >'${folder}/kubectl.in'`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (shell: string, text: string) =>
  execFileSync(shell, ['-c', text], { env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const INSTALL = `${COMMAND.slice('sudo '.length)} install.sh --root /gatehouse --no-start`;

test.each(['dash', 'bash'])('Docker is given the command as one word by %s', (shell) => {
  run(shell, commandAs('docker', COMMAND));

  const words = read('docker.args').split('\0').slice(0, -1);
  expect(words.slice(0, 2)).toEqual(['run', '-d']);
  expect(words.slice(-4, -1)).toEqual(['buildpack-deps:bookworm-curl', 'sh', '-c']);
  expect(words.at(-1)).toContain(INSTALL);
  run(shell, `set -n; ${words.at(-1)}`);
});

test.each(['dash', 'bash'])(
  'a pod is given the same, and neither %s nor Kubernetes expands anything in it',
  (shell) => {
    run(shell, commandAs('kubernetes', COMMAND));

    expect(read('kubectl.args')).toBe('apply\0-f\0-\0');
    const [, words = ''] = /^ +command: (.*)$/m.exec(read('kubectl.in')) ?? [];
    const [, , script] = JSON.parse(words) as string[];
    expect(script).not.toMatch(/(?<!\$)\$\(/);
    expect(script?.replaceAll('$$', () => '$')).toContain(INSTALL);
  },
);

test('where nothing is to be installed, or the machine itself is changed, no container is offered', () => {
  expect(formsFor('none')).toEqual([]);
  expect(formsFor('on-machines')).toEqual(['shell', 'cloud-init', 'ansible']);
  expect(formsFor('everywhere')).toEqual(['shell', 'cloud-init', 'ansible', 'docker', 'kubernetes']);
});
