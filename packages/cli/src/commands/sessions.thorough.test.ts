import { type ShellWorld, startShellWorld } from '@gatehouse/gateway/testing/sessions/shell-world';
import { connectTerminal, opening, tabOf } from '@gatehouse/gateway/testing/sessions/terminal-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';
import { exitCode } from '../runtime/exit-codes.ts';

let line: CommandLine<ShellWorld>;
let world: ShellWorld;

beforeEach(async () => {
  line = await startCommandLine(() => startShellWorld());
  world = line.world;
});
afterEach(() => line.close());

const local = (...args: string[]) => line.local(...args);

test('open sessions are listed, shown and ended with a reason, by their id or how it begins', async () => {
  expect((await local('sessions', 'ls')).stdout).toBe('no open sessions\n');
  const terminal = connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ubuntu'));
  const { sid: session } = await terminal.state;

  const listed = await local('sessions', 'ls');
  const shown = await local('sessions', 'show', session.slice(0, 8));
  const asJson = JSON.parse((await local('sessions', 'show', session, '--format', 'json')).stdout);
  const ended = await local('sessions', 'end', session.slice(0, 8), '--reason', 'maintenance');

  expect(listed.stdout).toMatch(new RegExp(`^ID .*\\n${session} +ann +edge +ubuntu +live +1 `));
  expect(shown.stdout).toMatch(/Owner +ann\n.*On +node edge\n/s);
  expect(shown.stdout).toMatch(/PERSON +AS +FROM\nann /);
  expect(asJson).toMatchObject({ id: session, owner: 'ann', resource_name: 'edge' });
  expect(ended).toMatchObject({ code: 0, stdout: "the session of 'ann' on 'edge' has ended\n" });
  expect(await terminal.told('ended')).toMatchObject({ type: 'ended' });
  expect(JSON.stringify(terminal.replies)).toContain('maintenance');
  expect((await local('sessions', 'ls')).stdout).toBe('no open sessions\n');
});

test('a session that is not there, or no longer, is told so', async () => {
  for (const name of ['show', 'end']) expect((await local('sessions', name, 'nope')).code).toBe(exitCode('notFound'));
});
