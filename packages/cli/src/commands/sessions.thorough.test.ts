import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localDoor } from '@gatehouse/gateway/http/local-door';
import { serveLocalSocket } from '@gatehouse/gateway/local-socket/serve-local-socket';
import { type ShellWorld, startShellWorld } from '@gatehouse/gateway/sessions/testing/shell-world';
import { connectTerminal, opening, tabOf } from '@gatehouse/gateway/sessions/testing/terminal-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCode } from '../exit-codes.ts';
import { runProgram } from '../program.ts';

let folder: string;
let world: ShellWorld;
let socket: { close(): Promise<void> };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
  world = await startShellWorld();
  socket = await serveLocalSocket({ dataDir: folder, handler: localDoor(world.gateway.app) });
});
afterEach(async () => {
  await socket.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

async function local(...args: string[]) {
  const result = { code: 0, stdout: '', stderr: '' };
  result.code = await runProgram([...args, '--data-dir', folder], {
    stdout: (text) => {
      result.stdout += text;
    },
    stderr: (text) => {
      result.stderr += text;
    },
    env: { HOME: folder },
    cwd: folder,
  });
  return result;
}

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
