/** A moderated session through restarts of the gateway: it goes on waiting, and stays frozen until somebody watches again. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signInToProcess } from '../../testing/sessions/process-people.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../testing/sessions/process-world.ts';
import { doorClient } from '../../testing/sessions/ssh-doors.ts';
import { connectTerminal, opening, type Tab, type TerminalClient } from '../../testing/sessions/terminal-client.ts';

let world: ProcessWorld;
let port: number;
beforeAll(async () => {
  port = await freePort();
  world = await startProcessWorld({ GATEHOUSE_SSH_LISTEN: `127.0.0.1:${port}` });
});
afterAll(() => world?.close());

const flowOf = (client: TerminalClient, flow: string) =>
  vi.waitFor(() => expect(client.flowEnds.at(-1)).toMatchObject({ flow }), { timeout: 20_000 });

async function attach(tab: Tab, sid: string, more: object = {}): Promise<TerminalClient> {
  for (;;) {
    const request = { type: 'attach', sid, cols: 80, rows: 24, writer: '00000000000000bb', ...more } as const;
    const client = connectTerminal(tab, request);
    if (await client.state.catch(() => undefined)) return client;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test('what waits goes on waiting, and what was moderated stays frozen until it is again', async () => {
  const policy = `{name: m, filter: 'contains(user.roles, "eyes")', kinds: [ssh], modes: [moderator], on_leave: pause}`;
  const roles = {
    watched: `{allow: {require_session_join: [${policy}]}}`,
    eyes: '{allow: {join_sessions: [{name: j, kinds: [ssh], roles: [watched], modes: [moderator]}]}}',
  };
  for (const [name, spec] of Object.entries(roles))
    await call(world.owner, roleRoutes.create, {
      body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
    });
  const cat = await signInToProcess(world.gateway, 'cat', 'dev,watched');
  const bob = await signInToProcess(world.gateway, 'bob', 'eyes');
  const first = connectTerminal(cat, opening(SERVER, world.login));
  const { sid } = await first.state;
  await flowOf(first, 'waiting');
  await world.gateway.crashAndRestart();

  const waiting = await attach(cat, sid);
  await flowOf(waiting, 'waiting');
  const moderator = await attach(bob, sid, { mode: 'moderator' });
  await flowOf(waiting, 'live');
  waiting.type('kept=yes; echo begun-$((6*7))\n');
  await moderator.until(/begun-42/);
  await world.gateway.crashAndRestart();

  const frozen = await attach(cat, sid);
  await flowOf(frozen, 'frozen');
  expect(frozen.text()).toBe('');
  const back = await attach(bob, sid, { mode: 'moderator' });
  await flowOf(frozen, 'live');
  frozen.type('echo still=$kept\n');
  await back.until(/still=yes/);
  await frozen.until(/still=yes/);
  for (const client of [frozen, back]) client.cut();
});

test('a command that waited is over with its gateway: nobody gets a shell for it', async () => {
  const dan = await signInToProcess(world.gateway, 'dan', 'dev,watched');
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(dan.headers.cookie ?? '')?.[1] ?? '';
  const headers = { ...dan.headers, authorization: `Bearer ${dan.token}`, 'x-csrf-token': csrf };
  const send: Send = async ({ method, url, body }) => {
    const json =
      body === undefined ? { headers } : { body, headers: { ...headers, 'content-type': 'application/json' } };
    const reply = await fetch(`${world.gateway.origin}${url}`, { method, ...json });
    return { status: reply.status, text: await reply.text() };
  };
  const client = await doorClient(port, { send });
  const ssh = client.start('ssh', ['-F', client.config, '-tt', `${world.login}@${SERVER}@gate`, 'echo only this']);
  const open = async () => (await call(send, sessionRoutes.list, { params: { clusterId: 'localhost' } })).sessions;
  await vi.waitFor(async () => expect(await open()).toHaveLength(1), {
    timeout: 20_000,
  });

  await world.gateway.crashAndRestart();
  ssh.kill();

  await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 30_000, interval: 500 });
});
