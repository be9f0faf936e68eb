/** What an application is told in secret is sent to it and to nobody else: not to people, rows, events or log lines. */

import { allRoutes } from '@gatehouse/contract/api/api';
import { appSpec } from '@gatehouse/contract/kinds/app/app-spec';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AppWorld, ask, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';
import { join, newJoinToken, startAgent, tunnelUrl } from '../../../testing/test-agent.ts';
import { rotateKey } from '../../platform/secrets/rotate-key.ts';
import { SecretBox } from '../../platform/secrets/secret-box.ts';
import { silentLog } from '../../platform/std/log.ts';
import { openAppSecrets } from './app-secrets.ts';
import { sealOldApps } from './seal-old-apps.ts';

const SECRET = 'UPSTREAM-SECRET-8c1f';
const OTHER = 'OTHER-SECRET-77aa';
const OFFERED = 'OFFERED-SECRET-31d0';
const EXTERNAL = 'EXTERNAL-ID-5be2';
const at = { clusterId: 'localhost' };

let world: AppWorld;
let uri: string;
let heard: Record<string, unknown> = {};

beforeAll(async () => {
  world = await startAppWorld();
  const port = await world.upstream((request, response) => {
    heard = request.headers;
    response.end('inside');
  });
  uri = `http://127.0.0.1:${port}`;
  await world.add('web', uri, { rewrite: rewriteOf(`Bearer ${SECRET}`) });
  await world.add('cloud', 'cloud://aws', { aws: { externalId: EXTERNAL } });
});
afterAll(() => world.close());

const rewriteOf = (value: string) => ({
  headers: [
    { name: 'Authorization', value },
    { name: 'X-User', value: '{{internal.username}}' },
  ],
});
const details = (person = world.admin, name = 'web') => call(person.send, appRoutes.get, { params: { ...at, name } });
const update = async (change: object, name = 'web') => {
  const { app: _, ...held } = await details(world.admin, name);
  return call(world.admin.send, appRoutes.update, { params: { ...at, name }, body: { ...held, ...change } as never });
};
const visit = async () => {
  const cookie = await openApp(world, world.ann, 'web.localhost');
  expect((await ask(world.port, { host: 'web.localhost', headers: { cookie } })).body).toBe('inside');
  return heard;
};

/** Everything in the store, as text. */
async function stored(): Promise<string> {
  const { db } = world.gateway.storage;
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
  const tables = await Promise.all(
    rows.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db).catch(() => ({ rows: [] }))),
  );
  return JSON.stringify(tables.map((table) => table.rows));
}

test('the application hears it, and who only sees the application hears not even its name', async () => {
  expect(await visit()).toMatchObject({ authorization: `Bearer ${SECRET}`, 'x-user': 'ann' });

  expect((await details(world.ann)).rewrite.headers).toEqual([]);
  expect((await details(world.admin)).rewrite.headers).toEqual([
    { name: 'Authorization', value: '', kept: true },
    { name: 'X-User', value: '{{internal.username}}' },
  ]);
  expect((await details(world.admin, 'cloud')).aws).toEqual({ externalId: '', kept: true });
});

test('what is read and written back stays as it was, and another value takes its place', async () => {
  await update({ description: 'changed' });
  expect(await visit()).toMatchObject({ authorization: `Bearer ${SECRET}` });

  await update({ rewrite: rewriteOf(`Bearer ${OTHER}`) });
  expect(await visit()).toMatchObject({ authorization: `Bearer ${OTHER}` });
  await update({ rewrite: rewriteOf(`Bearer ${SECRET}`) });
});

test.each([
  ['another host', { uri: 'http://127.0.0.2:9' }],
  ['another port', { uri: 'http://127.0.0.1:9' }],
  ['another scheme', { uri: 'https://127.0.0.1:9' }],
  ['a certificate that is not checked', { insecureSkipVerify: true }],
  ['another authority', { ca: '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n' }],
  ['another name in the certificate', { serverName: 'evil.example' }],
])('%s has no claim to it: it must be given again', async (_, change) => {
  await expect(update(change)).rejects.toThrow("the value of the header 'Authorization' was given for another address");
  await expect(update({ ...change, rewrite: rewriteOf('Bearer new') })).resolves.toMatchObject({ name: 'web' });
  await update({ uri, insecureSkipVerify: false, ca: '', serverName: '', rewrite: rewriteOf(`Bearer ${SECRET}`) });
});

test('another name in the row alone does not have it sent there', async () => {
  const { db } = world.gateway.storage;
  const secrets = await openAppSecrets(db, world.gateway.secrets, 0);
  const app = secrets.seal('web', { ...(await specOf()), uri } as never);

  expect(secrets.open('web', app).rewrite.headers).toContainEqual({ name: 'X', value: 'abc' });
  const moved = { ...app, spec: { ...app.spec, uri: 'http://evil.example' } };
  expect(secrets.open('web', moved).rewrite.headers).toEqual([]);
  expect(() => secrets.open('other', app)).toThrow('does not open');
  async function specOf() {
    const { rewrite } = await details();
    return { rewrite: { ...rewrite, headers: [{ name: 'X', value: 'abc' }] } };
  }
});

test('nothing can be kept where nothing is', async () => {
  const headers = [{ name: 'Authorization', value: '', kept: true }];
  await expect(world.add('new', uri, { rewrite: { headers } })).rejects.toThrow('nothing to keep');
  await expect(update({ rewrite: { headers: [{ name: 'X-Other', value: '', kept: true }] } })).rejects.toThrow(
    'nothing to keep',
  );
});

test('what agents offer is sealed likewise, and said again it is no other application', async () => {
  const token = await newJoinToken(world.admin.send, { roles: ['App'], offers: { apps: ['offered'] } });
  const joined = await join(world.gateway.send, { token, name: 'edge' });
  const spec = { uri: 'http://inside:1', rewrite: { headers: [{ name: 'X-Key', value: OFFERED }] } };
  const offer = { kind: 'app', id: 'offered', name: 'offered', labels: { env: 'dev' }, spec };
  const agent = startAgent(joined, { url: tunnelUrl(world.gateway.app), resources: [offer] });
  await vi.waitFor(() => expect(agent.taken).toHaveLength(1), { timeout: 10_000 });
  await agent.report([offer]);
  await agent.close({ drainMs: 0 });

  expect(agent.taken.flatMap(({ refused }) => refused)).toEqual([]);
  const row = await world.gateway.storage.db.selectFrom('resource').selectAll().where('id', '=', 'offered').execute();
  expect(row).toMatchObject([{ sealed: expect.stringMatching(/^v1\./) }]);
  expect(await stored()).not.toContain(OFFERED);
});

test('what was stored in clear before is sealed at the next start, in sessions too', async () => {
  const { storage, secrets } = world.gateway;
  const { db } = storage;
  const clear = JSON.stringify({ uri, rewrite: { headers: [{ name: 'X-Old', value: 'OLD-SECRET-1' }] } });
  await db.updateTable('resource').set({ spec: clear, sealed: null }).where('id', '=', 'web').execute();
  const session = await db.selectFrom('session').select(['id', 'action']).where('kind', '=', 'app').executeTakeFirst();
  const action = JSON.parse(session?.action ?? '{}');
  const old = JSON.stringify({ ...action, resource: { ...action.resource, spec: JSON.parse(clear) } });
  await db
    .updateTable('session')
    .set({ action: old })
    .where('id', '=', session?.id ?? '')
    .execute();
  expect(await stored()).toContain('OLD-SECRET-1');

  await sealOldApps(db, await openAppSecrets(db, secrets, 0), silentLog);

  expect(await stored()).not.toContain('OLD-SECRET-1');
  expect((await details()).rewrite.headers).toEqual([{ name: 'X-Old', value: '', kept: true }]);
  await update({ rewrite: rewriteOf(`Bearer ${SECRET}`) });
});

test('no reply, row, event or log line holds a secret', async () => {
  await visit();
  const replies: string[] = [];
  for (const person of [world.admin, world.ann]) {
    for (const { route } of allRoutes()) {
      if (route.method !== 'GET' || route.replyAs === 'bytes') continue;
      const url = route.path.replaceAll(':clusterId', 'localhost').replaceAll(/:[A-Za-z]\w*/g, 'web');
      replies.push((await person.send({ method: 'GET', url })).text);
    }
  }
  const everything = [...replies, await stored(), world.gateway.logged(), JSON.stringify(await world.gateway.events())];

  for (const secret of [SECRET, OTHER, EXTERNAL, OFFERED])
    expect(everything.filter((text) => text.includes(secret)).map((text) => text.slice(0, 200))).toEqual([]);
});

test('a new master key seals it anew', async () => {
  const { storage, secrets } = world.gateway;
  const { db } = storage;
  const box = new SecretBox({ place: 'the test', load: () => undefined, save() {} }, secrets.keys);
  const row = () =>
    db.selectFrom('resource').select(['spec', 'sealed']).where('id', '=', 'web').executeTakeFirstOrThrow();
  const before = await row();

  await expect(rotateKey(db, box, silentLog)).resolves.toMatchObject({ unreadable: 0 });

  const after = await row();
  expect(after.sealed).not.toBe(before.sealed);
  const app = { spec: appSpec.parse(JSON.parse(after.spec)), sealed: after.sealed ?? undefined };
  const opened = (await openAppSecrets(db, box, 0)).open('web', app);
  expect(opened.rewrite.headers).toContainEqual({ name: 'Authorization', value: `Bearer ${SECRET}` });
});
