/** An application that was stored with something nobody can send: it fails by itself, each time with an answer. */
import { type AddressInfo, createServer } from 'node:net';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppWorld, ask, makeRole, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';

let world: AppWorld;
let port: number;

beforeAll(async () => {
  world = await startAppWorld();
  port = await world.upstream((request, response) => void response.end(request.url));
});
afterAll(() => world.close());

/** As an earlier version took it, behind the back of the rules of today. */
async function store(name: string, change: (spec: { uri: string; rewrite: { headers: object[] } }) => void) {
  await world.add(name, `http://127.0.0.1:${port}`);
  const { db } = world.gateway.storage;
  const { spec } = await db.selectFrom('resource').select('spec').where('id', '=', name).executeTakeFirstOrThrow();
  const changed = JSON.parse(String(spec));
  change(changed);
  await db
    .updateTable('resource')
    .set({ spec: JSON.stringify(changed) })
    .where('id', '=', name)
    .execute();
  // Whatever changes makes all of them be read again.
  await world.add(`${name}-next`, 'http://127.0.0.1:9');
  await world.gateway.settled();
}

test('a template that cannot be filled in is a page that says so, every time, and others are served', async () => {
  await store('tmpl', ({ rewrite }) => rewrite.headers.push({ name: 'X-Team', value: '{{internal.team' }));
  await world.add('fine', `http://127.0.0.1:${port}`);
  const cookie = await openApp(world, world.ann, 'tmpl.localhost');

  for (let visit = 0; visit < 3; visit++) {
    expect((await ask(world.port, { host: 'tmpl.localhost', headers: { cookie } })).status).toBe(500);
  }
  const other = await openApp(world, world.ann, 'fine.localhost');
  expect((await ask(world.port, { host: 'fine.localhost', headers: { cookie: other } })).status).toBe(200);
});

test('a path beyond ASCII is read as it should have been written', async () => {
  await store('path', (spec) => {
    spec.uri += '/ł/';
  });
  const cookie = await openApp(world, world.ann, 'path.localhost');

  for (let visit = 0; visit < 2; visit++) {
    const { status, headers } = await ask(world.port, { host: 'path.localhost', headers: { cookie } });
    expect([status, headers.location]).toEqual([302, '/%C5%82/']);
  }
});

test('nobody has bytes of their own sent by checking an address', async () => {
  let heard = '';
  const target = createServer((socket) => {
    socket.on('data', (data) => {
      heard += data.toString('latin1');
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  await makeRole(world.admin, 'maker', '{allow: {rules: [{resources: [app_server], verbs: [list, read, create]}]}}');
  await world.gateway.addUser('mal', { roles: ['maker'] });
  const mal = await world.gateway.signedIn('mal');
  const uri = `http://127.0.0.1:${(target.address() as AddressInfo).port}/\u010d\u010aSET\u0120x\u010d\u010a`;

  const checking = call(mal.send, appRoutes.check, { params: { clusterId: 'localhost' }, body: { uri } as never });

  await expect(checking).rejects.toMatchObject({ status: 400 });
  expect(heard).toBe('');
  target.close();
});
