import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { bashScript } from './bash-script.ts';
import { describeTree } from './command-tree.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

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
  expect(complete('get', 'l')).toEqual(['locks']);
  expect(complete('completion', 'z')).toEqual(['zsh']);
  expect(complete('tokens', 'add', '--type', 'n')).toEqual(['node']);
  expect(complete('tokens', 'add', '--type', 'node,a')).toEqual(['node,app']);
  expect(complete('roles', 'sh')).toEqual(['show']);
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
  expect(completeFor(program, 'proxy', 'ssh', 'n')).toEqual(['nodes-1', 'nodes-2']);
  expect(completeFor(program, 'ssh', 'no')).toEqual(['nodes-1', 'nodes-2']);
  expect(completeFor(program, 'ssh', 'root@no')).toEqual(['root@nodes-1', 'root@nodes-2']);
  // As an interactive bash splits it.
  expect(completeFor(program, 'ssh', 'root', '@', 'nodes-2')).toEqual(['nodes-2']);
  expect(completeFor(program, 'ssh', 'root', '@')).toEqual(expect.arrayContaining(['nodes-1', 'nodes-2']));
  expect(completeFor(program, 'scp', 'notes.txt', 'deploy@nodes-1')).toEqual(['deploy@nodes-1']);
  expect(completeFor(program, 'access', 'explain', 'users')).toEqual(['users-1', 'users-2']);
  expect(completeFor(program, 'audit', 'export', '--user', '')).toEqual(['users-1', 'users-2']);
  expect(completeFor(program, 'nodes', 'add', 'nodes')).toEqual([]);
  expect(completeFor(program, 'nodes', 'show', '--f')).toEqual(['--format']);
  expect(completeFor(program, 'access', 'explain', 'ann', 'n')).toEqual(['nodes-1', 'nodes-2']);
  expect(completeFor(program, 'access', 'explain', '--login', 'root', 'u')).toEqual(['users-1', 'users-2']);
  expect(completeFor(program, 'nodes', 'show', 'nodes-1', 'n')).toEqual([]);
  expect(completeFor(program, 'users', 'add', 'ann', '--roles', '')).toEqual(['roles-1', 'roles-2']);
  expect(completeFor(program, 'users', 'edit', 'ann', '--roles', 'access,r')).toEqual([
    'access,roles-1',
    'access,roles-2',
  ]);
  expect(completeFor(program, 'users', 'edit', 'ann', '--roles', '=', 'roles-2')).toEqual(['roles-2']);
  expect(completeFor(program, 'users', 'edit', 'ann', '--roles', '=')).toEqual(['roles-1', 'roles-2']);
  expect(completeFor(program, 'nodes', 'add', 'web-1', '10.0.0.1', '--through', '')).toEqual(['agents-1', 'agents-2']);
  expect(completeFor(program, 'recordings', 'play', 'r')).toEqual(['recordings-1', 'recordings-2']);
  expect(completeFor(program, 'roles', 'show', 'r')).toEqual(['roles-1', 'roles-2']);
  expect(completeFor(program, 'get', 'role/dev', 'do')).toEqual(['documents-1', 'documents-2']);
  expect(completeFor(program, 'connectors', 'test', 'c')).toEqual(['connectors-1', 'connectors-2']);
  expect(completeFor(program, 'users', 'link', 'ann', '--connector', '')).toEqual(['connectors-1', 'connectors-2']);
});

/** Asks as `completeFor` does, in a folder of its own, of a program that answers with these bytes; each offer ends in NUL. */
function offersOf(answer: string, ...words: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'gatehouse');
  writeFileSync(join(folder, 'answer'), answer);
  writeFileSync(program, `#!/bin/sh\ncat '${folder}/answer'\n`, { mode: 0o755 });
  const run = (ask: string, ...args: string[]) =>
    execFileSync('bash', ['--noprofile', '--norc', '-c', ask, 'bash', ...args], { cwd: folder, encoding: 'utf8' })
      .split('\0')
      .slice(0, -1);
  const offered = run(
    `${bashScript(tree)}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gatehouse; [[ \${#COMPREPLY[@]} = 0 ]] || printf '%s\\0' "\${COMPREPLY[@]}"`,
    program,
    ...words,
  );
  return {
    offered,
    /** The words that a line with the offers on it gives to a command, as bash reads them. */
    read: () => (offered.length === 0 ? [] : run(`printf '%s\\0' ${offered.join(' ')}`)),
    left: () => readdirSync(folder).toSorted(),
  };
}

const PLACES = [
  ['argument', ['users', 'rm']],
  ['option', ['audit', 'export', '--user']],
  ['list', ['users', 'edit', 'ann', '--roles']],
] as const;
const HOSTILE = [
  'x$(>PWNED)',
  'x`>PWNED`',
  'x;>PWNED;',
  'x|touch PWNED',
  'x>PWNED',
  'x&touch PWNED&',
  '<(>PWNED)',
  '$x[$(>PWNED)]',
  "x'$(>PWNED)'",
  'x"$(>PWNED)"',
  "x$'\\x24(touch)'",
  'x y  z',
  ' x',
  'x\\',
  '*',
  '{a,b}',
  '~',
  '!x',
  '#x',
  'äöü',
];

test.each(PLACES)('bash runs nothing that a name says, and gives back the very name: %s', (where, place) => {
  const { read, left } = offersOf(`${HOSTILE.join('\n')}\n`, ...place, '');
  // A name with a comma cannot be one of a list.
  const given = HOSTILE.filter((name) => where !== 'list' || !name.includes(','));

  expect(left()).toEqual(['answer', 'gatehouse']);
  expect(read().filter((each) => !each.startsWith('-'))).toEqual(given);
  expect(left()).toEqual(['answer', 'gatehouse']);
});

test.each(PLACES)('bash compares what was typed as it is, in quotes or not, and never runs it: %s', (_, place) => {
  const answer = `${HOSTILE.join('\n')}\n`;
  const typed = (cur: string) => {
    const { read, left } = offersOf(answer, ...place, cur);
    const words = read();
    expect(left()).toEqual(['answer', 'gatehouse']);
    return words;
  };

  expect(typed('x$(>')).toEqual(['x$(>PWNED)']);
  expect(typed('x\\$\\(\\>')).toEqual(['x$(>PWNED)']);
  expect(typed('*')).toEqual(['*']);
  expect(typed('x[')).toEqual([]);
  expect(typed('$(touch PWNED)')).toEqual([]);
  expect(typed('`touch PWNED`')).toEqual([]);
});

test.each(PLACES)('bash offers no name that steers the terminal or reads as an option: %s', (_, place) => {
  const { offered } = offersOf(
    'good\n-rf\n--every-one\n\na\u001b[2Jb\na\rb\na\tb\na\u0007b\nalso-good\n',
    ...place,
    '',
  );

  const ours = tree.flatMap(({ options }) => options.flatMap(({ flags }) => flags));
  expect(offered.filter((each) => !ours.includes(each))).toEqual(['good', 'also-good']);
});

test('no shell is given a list to expand: plain words only, and names come out of one call', () => {
  const plain = /^[A-Za-z0-9._:-]+$/;
  const words = tree.flatMap(({ path, commands, options, args }) => [
    ...path,
    ...args.flatMap(({ values }) => values),
    ...commands.map(({ name }) => name),
    ...options.flatMap(({ flags, takes }) => [...flags, ...(Array.isArray(takes) ? takes : [])]),
  ]);

  expect(words.filter((word) => !plain.test(word))).toEqual([]);
  expect(bashScript(tree)).not.toMatch(/compgen -W|\beval\b/);
  // Summaries stand in single quotes, which the shells read as they are.
  const unquoted = (script: string) => script.replaceAll(/'[^']*'/g, "''");
  expect(unquoted(zshScript(tree)).match(/\$\([^(].*|`|\beval\b|<\(/g)).toEqual([
    `$("\${(Q)words[1]}" names "$1" 2>/dev/null)"}")`,
  ]);
  expect(unquoted(fishScript(tree)).match(/\(.*\)|`|\beval\b/g)).toEqual([
    '(commandline -opc)',
    '(string trim -- "$__gatehouse_command $word")',
    '(math $__gatehouse_seen + 1)',
    '(commandline -opc)',
    "(commandline -ct | string match -r -- '')",
    "(commandline -ct | string replace -r -- '' '' | string match -r -- '')",
  ]);
  // What fish runs when it is asked stands in single quotes too.
  const runs = [...fishScript(tree).matchAll(/ -a '(\(.*?\))' -d| -a '(\(.*\))'$/gm)].map((each) => each[1] ?? each[2]);
  const names = /^\(__gatehouse_names [a-z]+\)$|^\(__gatehouse_list \(__gatehouse_names [a-z]+\)\)$/;
  const others = /^\(__gatehouse_list [a-z -]+\)$|^\(__fish_complete_directories\)$/;
  expect(runs.length).toBeGreaterThan(20);
  expect(runs.filter((each) => !names.test(each ?? '') && !others.test(each ?? ''))).toEqual([]);
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
