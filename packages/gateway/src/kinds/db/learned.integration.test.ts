/** What is learned of a database by using it, and who is warned before its certificate ends, with a real PostgreSQL that is given another one. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorld } from '../../../testing/db/db-world.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import type { DbAuthorities } from '../../identity/authorities/db/create-db-authorities.ts';
import { silentLog } from '../../platform/std/log.ts';
import { createDbStates } from './db-states.ts';
import { lookAtCertificates } from './look-at-certificates.ts';

const SHOP = { params: { ...CLUSTER, name: 'shop' } };
const DAY_MS = 86_400_000;
let postgres: SecurePostgres;
let world: DbWorld;
beforeAll(async () => {
  postgres = await startSecurePostgres();
  world = await startDbWorld(postgres);
});
afterAll(async () => {
  await world?.close();
  await postgres?.stop();
});

async function connectOnce(to = world): Promise<void> {
  const { port } = await to.tunnel();
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  await client.connect();
  await client.end();
}

async function learned(who = world.ann) {
  return (await call(who.send, databaseRoutes.details, SHOP)).learned;
}

async function listed(who: TestBrowser) {
  return (await call(who.send, databaseRoutes.list, { params: CLUSTER })).items[0]?.gatehouse;
}

async function alerts(who: TestBrowser): Promise<string[]> {
  const told = await call(who.send, clusterRoutes.alerts, { params: CLUSTER });
  return told.alerts.map(({ spec }) => spec.message);
}

/** As the gateway does a few times a day by itself. */
async function lookAgain(): Promise<void> {
  const { storage, clock } = world.gateway;
  const now = () => clock.now;
  const dial = async () => {
    const socket = connect({ host: '127.0.0.1', port: postgres.port });
    await once(socket, 'connect');
    return socket;
  };
  const deps = {
    ...{ db: storage.db, clusterName: CLUSTER.clusterId, now, log: silentLog },
    states: createDbStates({ db: storage.db, log: silentLog, now }),
    reach: { way: async () => ({ tell: 'from here', addresses: [], dial }) },
    // The record names the authority.
    dbAuthorities: {} as DbAuthorities,
  };
  await lookAtCertificates(deps, new AbortController().signal);
}

test('a server that shows its certificate and refuses the password was not reached', async () => {
  const other = await startDbWorld(postgres);
  onTestFinished(() => other.close());
  const details = async () => call(other.admin.send, databaseRoutes.details, SHOP);
  for (const dbUser of (await details()).stored)
    await call(other.admin.send, databaseRoutes.setSecret, {
      params: { ...SHOP.params, dbUser },
      body: { password: 'wrong' },
    });
  await expect(connectOnce(other)).rejects.toThrow();

  await expect.poll(async () => (await details()).learned?.certificateEnds).toMatch(/^20/);
  expect((await details()).learned).toMatchObject({ reached: '', version: '' });
  expect((await listed(other.ann))?.reached).toBeUndefined();
});

test('a session tells the version, when it was reached and when its certificate ends; who may list it is warned, until it is renewed', async () => {
  expect(await learned()).toBeUndefined();
  await connectOnce();
  await expect.poll(async () => (await learned())?.version).toMatch(/^\d+\.\d+/);
  const before = (await learned())!;
  const ends = Date.parse(before.certificateEnds);
  expect(before.reached).toBe(new Date(world.gateway.clock.now).toISOString());
  expect(Math.round((ends - Date.now()) / DAY_MS)).toBe(2);
  expect(await alerts(world.ann)).toEqual([]);
  const { reached, certificateEnds } = before;
  const lastUsed = { user: 'ann', dbUser: expect.stringMatching(/^\w+$/) };
  expect(await listed(world.ann)).toMatchObject({ reached, certificateEnds, lastUsed });
  await world.gateway.addUser('eve', { roles: ['dev', 'editor'] });
  expect(await listed(await world.gateway.signedIn('eve'))).toMatchObject({ lastUsed });
  await world.gateway.addUser('dan', { roles: ['dev'] });
  const dan = await world.gateway.signedIn('dan');
  // Who may not list sessions is told of nobody else's.
  expect(await listed(dan)).toMatchObject({ reached, certificateEnds });
  expect((await listed(dan))?.lastUsed).toBe(undefined);

  // Everybody's sign-ins have ended by then.
  world.gateway.clock.now = ends - 13.5 * DAY_MS;
  const admin = await world.gateway.signedIn('admin');
  const rules = 'rules: [{resources: [db_server], verbs: [list, read]}]';
  await makeRole(admin, 'elsewhere', `{allow: {db_labels: {env: prod}, db_users: ['*'], db_names: ['*'], ${rules}}}`);
  await world.gateway.addUser('bob', { roles: ['elsewhere'] });
  const [ann, bob] = [await world.gateway.signedIn('ann'), await world.gateway.signedIn('bob')];
  const day = before.certificateEnds.slice(0, 10);
  expect(await alerts(ann)).toEqual([
    `The certificate of the database 'shop' ends on ${day}, in 13 days: renew it there.`,
  ]);
  expect(await alerts(bob)).toEqual([]);

  world.gateway.clock.now = ends + 1;
  const annLater = await world.gateway.signedIn('ann');
  expect((await alerts(annLater))[0]).toContain(`has ended on ${day}: nobody can connect`);

  await postgres.renew();
  await lookAgain();
  await expect.poll(() => alerts(annLater)).toEqual([]);
  const renewed = Date.parse((await learned(annLater))?.certificateEnds ?? '');
  expect(Math.round((renewed - Date.now()) / DAY_MS)).toBe(90);
  // What was learned besides stays.
  expect((await learned(annLater))?.version).toBe(before.version);
});

test('of a record that leads elsewhere nothing is known, and one that is removed takes it along', async () => {
  const admin = await world.gateway.signedIn('admin');
  const { item } = await call(admin.send, databaseRoutes.details, SHOP);
  await call(admin.send, databaseRoutes.update, { ...SHOP, body: { uri: `127.0.0.1:${postgres.port}` } });
  expect(await learned(admin)).toBeUndefined();
  await call(admin.send, databaseRoutes.update, { ...SHOP, body: { uri: item.gatehouse?.uri ?? '' } });
  expect(await learned(admin)).toBeDefined();

  await call(admin.send, databaseRoutes.remove, SHOP);
  expect(await world.gateway.storage.db.selectFrom('db_state').selectAll().execute()).toEqual([]);
});
