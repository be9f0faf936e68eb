import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { describeTree } from './command-tree.ts';
import { bashScript, fishScript, zshScript } from './scripts.ts';

const program = await buildProgram({ stdout() {}, stderr() {}, env: {}, cwd: '/' });
const tree = describeTree(program);

/** Asks a real bash what it would offer for the words, the last one being completed. */
function complete(...words: string[]): string[] {
  const quoted = ['gatehouse', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `${bashScript(tree)}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--noprofile', '--norc', '-c', ask], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test('bash offers the commands of the tree', () => {
  expect(complete('')).toEqual(
    expect.arrayContaining(['start', 'agent', 'config', 'alerts', 'secrets', 'completion', 'version']),
  );
  expect(complete('star')).toEqual(['start']);
  expect(complete('config', '')).toEqual(expect.arrayContaining(['check', 'show', 'schema']));
});

test('bash offers the options of the command, and the values an option takes', () => {
  expect(complete('start', '--li')).toEqual(['--listen']);
  expect(complete('config', 'check', '--format', '')).toEqual(['text', 'json']);
  expect(complete('alerts', 'add', 'hello', '--severity', 'h')).toEqual(['high']);
  expect(complete('start', '--listen', '')).toEqual([]);
  expect(complete('start', '--data-dir', '/us')).toEqual(['/usr']);
});

test('a value that is named like a command does not lead astray', () => {
  expect(complete('start', '--cluster-name', 'config', '--li')).toEqual(['--listen']);
});

test('the bash script is clean under shellcheck', () => {
  expect(execFileSync('shellcheck', ['--shell=bash', '-'], { input: bashScript(tree), encoding: 'utf8' })).toBe('');
});

test.each([
  ['zsh', zshScript(tree)],
  ['fish', fishScript(tree)],
])('the %s script names every command and option', (_, script) => {
  const missing = tree.flatMap(({ commands, options }) => [
    ...commands.map(({ name }) => name).filter((name) => !script.includes(name)),
    ...options.flatMap(({ flags }) => flags).filter((flag) => !script.includes(flag.replace(/^--?/, ''))),
  ]);

  expect(missing).toEqual([]);
  expect(script).not.toContain('undefined');
});
