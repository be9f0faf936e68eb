/** A moderated session through restarts of the gateway: it goes on waiting, and stays frozen until somebody watches again. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signInToProcess } from '../../testing/sessions/process-people.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../testing/sessions/process-world.ts';
import { connectTerminal, opening, type Tab, type TerminalClient } from '../../testing/sessions/terminal-client.ts';

let world: ProcessWorld;
beforeAll(async () => {
  world = await startProcessWorld();
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
