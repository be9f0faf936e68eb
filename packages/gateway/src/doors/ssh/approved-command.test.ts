import { MAX_HEADLESS_COMMAND } from '@gatehouse/contract/identity/headless-command';
import { expect, test } from 'vitest';
import { isApproved } from './approved-command.ts';

const run = (command: string) => ({ type: 'command' as const, command });
const SHELL = { type: 'shell' as const };
const FILES = { type: 'files' as const };

test.each([
  ['a shell lets everything be typed', '', run('anything')],
  ['a shell', '', SHELL],
  ['the very command', 'uptime -p', run('uptime -p')],
  ['the very command, as it was shown', 'echo a\\x0aid', run('echo a\nid')],
  ['files of scp', 'scp notes.txt root@web-1:/tmp', FILES],
  ['scp by its older way', 'scp -O notes.txt root@web-1:/tmp', run('scp -v -t /tmp')],
  ['files that ssh itself asks for', 'sftp', FILES],
])('%s is what was approved', (_, approved, wanted) => {
  expect(isApproved(approved, wanted)).toBe(true);
});

test.each([
  ['a shell', 'uptime', SHELL],
  ['another command', 'uptime', run('id')],
  ['more than the command', 'uptime', run('uptime; id')],
  ['files', 'uptime', FILES],
  ['a shell behind a copy', 'scp a root@web-1:b', SHELL],
  ['another command behind a copy', 'scp a root@web-1:b', run('id')],
  ['a command within a copy', 'scp a root@web-1:b', run('scp -t /tmp; id')],
  ['a command in the place of a path', 'scp a root@web-1:b', run('scp -t $(id)')],
  ['a program that scp would run', 'scp a root@web-1:b', run('scp -S /tmp/x -t y')],
  ['what was cut', 'a'.repeat(MAX_HEADLESS_COMMAND), run('a'.repeat(MAX_HEADLESS_COMMAND + 10))],
])('%s is not', (_, approved, wanted) => {
  expect(isApproved(approved, wanted)).toBe(false);
});
