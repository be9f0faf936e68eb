/** Names in zsh and fish, asked of the real shells where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { describeTree } from './command-tree.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const tree = describeTree(await buildProgram({ stdout() {}, stderr() {}, env: {}, cwd: '/' }));

/** Stands for what the line editor of zsh gives to completion; what would be offered is printed, each ended by NUL. */
const ZSH = `
compdef() { : }
compset() { : }
_message() { : }
_files() { : }
_describe() { print -rN -- "\${(@P)2%%:*}" }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; (( $# )) && print -rN -- "$@" }
`;

const SHELLS = {
  zsh: (words: readonly string[], folder: string) =>
    execFileSync(
      'zsh',
      ['-f', '-c', `${ZSH}\n${zshScript(tree)}\nwords=("$@"); CURRENT=$#; _gatehouse`, 'zsh', ...words],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    ).split('\0'),
  fish: (words: readonly string[], folder: string) => {
    // What stands for the program is found by its name, as fish completes by the name alone.
    const line = ['gatehouse', ...words.slice(1)].join(' ');
    const script = `set -x PATH ${folder} $PATH\n${fishScript(tree)}\ncomplete -C $argv[1]`;
    return execFileSync('fish', ['--no-config', '-c', script, line], { cwd: folder, encoding: 'utf8' })
      .split('\n')
      .map((offer) => offer.split('\t')[0] ?? '');
  },
};

function ask(shell: keyof typeof SHELLS, answer: string, ...words: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'gatehouse');
  writeFileSync(join(folder, 'answer'), answer);
  // It says what it was asked, and then the answer.
  writeFileSync(program, `#!/bin/sh\n[ "$1" = names ] && echo "$2-1"\ncat '${folder}/answer'\n`, { mode: 0o755 });
  const offered = SHELLS[shell]([program, ...words], folder).filter((each) => each !== '' && !each.startsWith('-'));
  return { offered, left: readdirSync(folder).toSorted() };
}

const HOSTILE = [
  'x$(>PWNED)',
  'x`>PWNED`',
  'x;>PWNED;',
  '(>PWNED)',
  "x'$(>PWNED)'",
  'x y  z',
  '*',
  '~',
  '$HOME',
  'äöü',
];

for (const shell of ['zsh', 'fish'] as const) {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;

  test.skipIf(!isThere)(
    `${shell} offers names by the argument and the option, and runs nothing that a name says`,
    () => {
      const names = (...words: string[]) => ask(shell, '', ...words).offered;
      expect(names('users', 'rm', '')).toEqual(['users-1']);
      expect(names('access', 'explain', 'ann', '')).toEqual(['nodes-1']);
      expect(names('access', 'explain', '--login', 'root', '')).toEqual(['users-1']);
      expect(names('users', 'add', 'ann', '--roles', '')).toEqual(['roles-1']);
      expect(names('nodes', 'add', 'web-1', '10.0.0.1', '--through', '')).toEqual(['agents-1']);
      expect(names('recordings', 'play', '')).toEqual(['recordings-1']);
      expect(names('get', '')).toEqual(expect.arrayContaining(['all', 'roles', 'users', 'locks', 'documents-1']));
      expect(names('tokens', 'add', '--type', '')).toEqual(expect.arrayContaining(['node', 'app']));
      expect(names('nodes', 'add', '')).not.toContain('nodes-1');

      const answer = `${HOSTILE.join('\n')}\n-rf\na\u001b[2Jb\na\rb\n\n`;
      for (const place of [
        ['users', 'rm', ''],
        ['audit', 'export', '--user', ''],
        ['users', 'edit', 'ann', '--roles', ''],
      ]) {
        const { offered, left } = ask(shell, answer, ...place);
        expect(offered.slice().sort()).toEqual([...HOSTILE, place.includes('--roles') ? 'roles-1' : 'users-1'].sort());
        expect(left).toEqual(['answer', 'gatehouse']);
      }
    },
  );

  test.skipIf(!isThere)(`${shell} finds no fault in its script`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-completion-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'script');
    writeFileSync(file, { zsh: zshScript(tree), fish: fishScript(tree) }[shell]);
    expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' }).stderr).toBe('');
  });
}

test.skipIf(spawnSync('fish', ['-c', 'true']).status !== 0)('fish goes on behind the last comma of a list', () => {
  expect(ask('fish', 'access\n', 'users', 'edit', 'ann', '--roles', 'auditor,').offered.slice().sort()).toEqual([
    'auditor,access',
    'auditor,roles-1',
  ]);
});
