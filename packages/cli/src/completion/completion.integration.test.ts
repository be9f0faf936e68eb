import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { describeTree } from './command-tree.ts';
import { bashScript, fishScript, zshScript } from './scripts.ts';

const program = await buildProgram({ stdout() {}, stderr() {}, env: {}, cwd: '/' });
const tree = describeTree(program);

/** Asks a real bash what it would offer for the words, the last one being completed. */
function complete(...words: string[]): string[] {
  return completeFor('gatehouse', ...words);
}

function completeFor(program: string, ...words: string[]): string[] {
  const quoted = [program, ...words].map((word) => `'${word}'`).join(' ');
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

test('bash offers the values that a key of the configuration or an argument takes', () => {
  expect(complete('start', '--log-level', '')).toEqual(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
  expect(complete('start', '--log-format', 'p')).toEqual(['pretty']);
  expect(complete('agent', '--log-format', '')).toEqual(['json', 'pretty']);
  expect(complete('names', 'no')).toEqual(['nodes']);
});

test('bash offers the names of what is there, asked of the program that is typed, and none for what is new', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'gatehouse');
  // Stands for the real one: prints what it is asked for, so that the question can be seen.
  writeFileSync(program, '#!/bin/sh\n[ "$1" = names ] && printf "%s-1\\n%s-2\\n" "$2" "$2"\n', { mode: 0o755 });

  expect(completeFor(program, 'nodes', 'show', 'nodes')).toEqual(['nodes-1', 'nodes-2']);
  expect(completeFor(program, 'users', 'rm', '')).toEqual(expect.arrayContaining(['users-1', 'users-2', '--help']));
  expect(completeFor(program, 'proxy', 'app', 'apps-2')).toEqual(['apps-2']);
  expect(completeFor(program, 'access', 'explain', 'users')).toEqual(['users-1', 'users-2']);
  expect(completeFor(program, 'audit', 'export', '--user', '')).toEqual(['users-1', 'users-2']);
  expect(completeFor(program, 'nodes', 'add', 'nodes')).toEqual([]);
  expect(completeFor(program, 'nodes', 'show', '--f')).toEqual(['--format']);
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
