/** What the log says of a session from its start to its end: connected, resized, how much passed, why it was cut, what was run. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { tellEvent } from '@gatehouse/contract/audit/tell-event';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { Session } from './host/session-store.ts';

async function newWorld(): Promise<ShellWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-evidence-'));
  const world = await startShellWorld({ dataDir });
  onTestFinished(async () => {
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return world;
}

async function eventsOf({ gateway }: ShellWorld, sid: string) {
  const rows = await gateway.storage.db
    .selectFrom('event')
    .selectAll()
    .where('session', '=', sid)
    .orderBy('id')
    .execute();
  return rows.map(({ code, event, user, data, time }) => {
    const fields = JSON.parse(data) as Record<string, unknown>;
    return {
      code,
      user,
      fields,
      told: tellEvent({ ...fields, code, event, time: new Date(time).toISOString() }).message,
    };
  });
}

const ended = async (world: ShellWorld, sid: string) => {
  await vi.waitFor(async () => expect((await eventsOf(world, sid)).map(({ code }) => code)).toContain('T2004I'));
  return await eventsOf(world, sid);
};

test('a session is told from its connection to its last byte, by the names of people and machines', async () => {
  const world = await newWorld();
  const client = connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ubuntu'));
  const { sid } = await client.state;
  for (let cols = 90; cols <= 140; cols += 1) client.send({ type: 'resize', cols, rows: 40 });
  await vi.waitFor(() => expect(world.fakes.last().size).toEqual({ cols: 140, rows: 40 }));
  client.type('ls -l\r');
  await client.until(/ls -l/);
  client.type('exit');
  await client.told('ended');

  const told = await ended(world, sid);
  expect(told.map(({ code }) => code)).toEqual(['T2000I', 'T2010I', 'T2002I', 'T2006I', 'T2004I']);
  expect(told[1]).toMatchObject({ user: 'ann', fields: { server_hostname: 'edge', login: 'ubuntu' } });
  expect(told[2]).toMatchObject({ user: 'ann', fields: { size: '140:40' } });
  expect(told[3]?.fields).toMatchObject({ tx: 10, rx: 10 });
  expect(told.map((each) => each.told)).toEqual([
    'ann began a session on ubuntu@edge',
    'ann was connected to ubuntu@edge',
    'ann resized the terminal of the session of ann on ubuntu@edge to 140 × 40',
    'the session of ann on ubuntu@edge has printed 10 and was given 10 bytes',
    'the session of ann on ubuntu@edge ended after 0 s: the shell ended',
  ]);
});

test('what the gateway ends against who works there is a disconnection with its reason, and nobody is said to have ended it', async () => {
  const world = await newWorld();
  const client = connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ubuntu'));
  const { sid } = await client.state;
  await world.makeRole('nothing', '{allow: {}}');
  await world.gateway.setRoles('ann', ['nothing']);
  await client.told('ended');

  const told = await ended(world, sid);
  const cut = told.find(({ code }) => code === 'T3006I');
  expect(cut).toMatchObject({ user: 'ann', fields: { server_hostname: 'edge', reason: expect.stringMatching(/./) } });
  expect(cut?.told).toMatch(/^ann was disconnected from ubuntu@edge: ./);
});

const cuts = async (world: ShellWorld, sid: string) =>
  (await ended(world, sid))
    .filter(({ code }) => code === 'T3006I')
    .map(({ user, fields, told }) => [user, fields.login, told]);

test('so is silence that lasted too long', async () => {
  const world = await newWorld();
  const { gateway } = world;
  await world.makeRole('short', '{options: {client_idle_timeout: 10m}, allow: {}}');
  await gateway.addUser('bob', { roles: ['dev', 'short'] });
  const bob = await gateway.signedIn('bob');
  const { sid } = await connectTerminal(tabOf(gateway.app, bob), opening('edge', 'ubuntu')).state;
  gateway.clock.advance(10 * 60_000);

  const silence = expect.stringMatching(/^bob was disconnected from ubuntu@edge: nothing was typed for 10/);
  expect(await cuts(world, sid)).toEqual([['bob', 'ubuntu', silence]]);
});

test('and so is a lock', async () => {
  const world = await newWorld();
  const { sid } = await connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ubuntu')).state;
  const body = { targets: { agent: 'edge' }, message: 'stolen' };
  await call(world.admin.send, lockRoutes.create, { params: { clusterId: '-current-' }, body });

  const lock = "ann was disconnected from ubuntu@edge: the agent 'edge' is locked";
  expect(await cuts(world, sid)).toEqual([['ann', 'ubuntu', lock]]);
});

test('who ended the session of somebody else is told, once, and its end names no other', async () => {
  const world = await newWorld();
  const client = connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ubuntu'));
  const { sid } = await client.state;
  const { sessions } = world.gateway;
  const session = sessions.get(sid)?.session as Session;
  await sessions.endBy({ username: 'admin', signInId: 'x' }, session, 'a drill');
  expect(await client.told('ended')).toMatchObject({ message: 'it was ended by admin: a drill' });

  const told = (await ended(world, sid)).map((each) => each.told);
  expect(told).toContain('admin ended the session of ann on ubuntu@edge: a drill');
  expect(told.at(-1)).toMatch(/^the session of ann on ubuntu@edge ended after \d+ s: it was ended by admin: a drill$/);
  expect((await eventsOf(world, sid)).filter(({ code }) => code === 'T3006I')).toEqual([]);
});

test('a command without a terminal is told with how it ended, listed as non-interactive, and is no gap', async () => {
  const world = await newWorld();
  const { gateway } = world;
  await gateway.addUser('eve', { roles: ['auditor'] });
  const eve = await gateway.signedIn('eve');
  const resource = gateway.access && (await resourceNamed(world));
  const run = async (command: string, exitCode: number) => {
    const who = { username: 'ann', signInId: await signInOf(world) };
    const now = async () => (await gateway.sessions.owner({ user: 'ann', signInId: who.signInId })) as Actor;
    const hosted = await gateway.sessions.open({
      ...{ caller: { ...who, now }, action: { type: 'connect', kind: 'node', resource, login: 'ubuntu' } },
      ...{
        address: '127.0.0.1',
        requestId: 'r',
        call: 'terminal',
        nature: { cannotWait: true },
        request: randomUUID(),
      },
      ...{ size: { cols: 80, rows: 24 }, agent: undefined, recorded: true, proveFactor: async () => {} },
      ...{ interactive: false, command },
    });
    hosted.traffic = () => ({ sent: 12, received: 0 });
    hosted.connected();
    hosted.finish({ cause: 'exited', message: `the command ended with status ${exitCode}`, exitCode });
    return { sid: hosted.id, told: await ended(world, hosted.id) };
  };

  const well = await run('uptime', 0);
  expect(well.told.map(({ code }) => code)).toEqual(['T2000I', 'T2010I', 'T2006I', 'T3002I', 'T2004I']);
  expect(well.told[0]?.fields).toMatchObject({ interactive: false, initial_command: ['uptime'] });
  expect(well.told[3]).toMatchObject({
    fields: { command: 'uptime', exitCode: '0' },
    told: 'ann ran uptime on ubuntu@edge',
  });
  expect(well.told[4]).toMatchObject({ fields: { interactive: false } });
  expect(well.told[4]?.told).toMatch(/^uptime of ann on ubuntu@edge ended/);
  const badly = await run('false', 1);
  expect(badly.told.find(({ code }) => code === 'T3002E')?.fields).toMatchObject({ command: 'false', exitCode: '1' });

  const params = { clusterId: 'localhost' };
  const { recordings } = await call(eve.send, recordingRoutes.list, { params, query: {} as never });
  expect(recordings).toHaveLength(2);
  for (const each of recordings) expect(each).toMatchObject({ state: 'non_interactive', playable: false });
  expect(await call(eve.send, recordingUpkeepRoutes.coverage, { params })).toMatchObject({ sessions: 0, gaps: [] });
});

async function resourceNamed({ gateway }: ShellWorld) {
  const { findSeenNode } = await import('../kinds/node/find-node.ts');
  const actor = (await gateway.sessions.owner({ user: 'ann', signInId: 'x' })) as Actor;
  const deps = { db: gateway.storage.db, access: gateway.access, clusterName: 'localhost' };
  return await findSeenNode(deps, actor, 'edge');
}

async function signInOf({ gateway }: ShellWorld): Promise<string> {
  const rows = await gateway.storage.db.selectFrom('sign_in').select(['id', 'user']).execute();
  return rows.find(({ user }) => user === 'ann')?.id ?? '';
}
