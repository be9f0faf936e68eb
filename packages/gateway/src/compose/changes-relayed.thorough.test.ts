/** Things that are made, changed, read and removed at a leaf through the relay, step by step beside the same made there: equal but for names. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import type { ApiRoute } from '@gatehouse/contract/api/api';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LEAF, type LeafWorld, startLeafWorld } from '../../testing/relay/leaf-world.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

let world: LeafWorld;
let here: TestBrowser;
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-changes-'));
beforeAll(async () => {
  world = await startLeafWorld({ dataDir });
  here = await world.leaf.gateway.signedIn('founder');
});
afterAll(async () => {
  await world?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Step {
  route: ApiRoute;
  /** Beside the cluster; `NAME` stands for what the side calls its thing. */
  params?: Record<string, string>;
  body?: unknown;
}

const NAME = { name: 'NAME' };
const LABELS = { env: 'test' };

const LIVES: Record<string, readonly Step[]> = {
  'an application': [
    { route: appRoutes.add, body: { ...NAME, uri: 'http://127.0.0.1:9', labels: LABELS } },
    { route: appRoutes.get, params: NAME },
    { route: appRoutes.update, params: NAME, body: { uri: 'http://127.0.0.1:10', labels: { env: 'other' } } },
    { route: appRoutes.get, params: NAME },
    { route: appRoutes.remove, params: NAME },
  ],
  'a database': [
    {
      route: databaseRoutes.add,
      body: {
        ...{ ...NAME, protocol: 'postgres', uri: 'localhost:9', signIn: 'password', database: 'shop' },
        labels: [{ name: 'env', value: 'test' }],
      },
    },
    { route: databaseRoutes.setSecret, params: { ...NAME, dbUser: 'app' }, body: { password: 'only here' } },
    { route: databaseRoutes.details, params: NAME },
    { route: databaseRoutes.removeSecret, params: { ...NAME, dbUser: 'app' } },
    { route: databaseRoutes.remove, params: NAME },
  ],
  'a Kubernetes cluster': [
    {
      route: kubeRoutes.add,
      body: { ...NAME, server: 'https://127.0.0.1:9', labels: LABELS, credential: { token: 'x'.repeat(40) } },
    },
    { route: kubeRoutes.get, params: NAME },
    { route: kubeRoutes.remove, params: NAME },
  ],
  'a desktop': [
    {
      route: desktopRoutes.add,
      body: { ...NAME, addr: '127.0.0.1:9', labels: LABELS, certificate: { pin: `sha256:${'ab'.repeat(32)}` } },
    },
    { route: desktopRoutes.setPassword, params: { ...NAME, login: 'ann' }, body: { password: 'only here' } },
    { route: desktopRoutes.details, params: NAME },
    { route: desktopRoutes.removePassword, params: { ...NAME, login: 'ann' } },
    { route: desktopRoutes.remove, params: NAME },
  ],
  'an alert': [
    { route: clusterRoutes.postAlert, body: { ...NAME, severity: 'low', message: 'closed on Sunday', ttlSeconds: 60 } },
    { route: clusterRoutes.removeAlert, params: NAME },
  ],
  'a lock': [{ route: lockRoutes.create, body: { targets: { login: 'NAME' }, message: 'away', force: true } }],
};

/** Through the same steps, each of which must be done; gives what was answered, without what differs between two. */
async function live(side: { browser: TestBrowser; clusterId: string; word: string }, steps: readonly Step[]) {
  const named = <Value>(value: Value): Value =>
    value === undefined ? value : (JSON.parse(JSON.stringify(value).replaceAll('NAME', side.word)) as Value);
  const said: string[] = [];
  for (const { route, params = {}, body } of steps) {
    const sent = { params: { clusterId: side.clusterId, ...named(params) }, ...(body ? { body: named(body) } : {}) };
    const answer: unknown = await call(side.browser.send, route, sent as never);
    said.push(plain(JSON.stringify(answer)));
  }
  return said;
}

function plain(text: string): string {
  return text
    .replaceAll(/root\/admin|founder/g, 'somebody')
    .replaceAll(/[ab]side/g, 'side')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

test.each(Object.entries(LIVES))('%s lives through the relay as it does there', async (_title, steps) => {
  const there = await live({ browser: world.admin, clusterId: LEAF, word: 'aside' }, steps);
  const local = await live({ browser: here, clusterId: '-current-', word: 'bside' }, steps);

  expect(there).toEqual(local);
  expect(there.length).toBe(steps.length);
});

test('each change is in the log of the leaf, by who made it, and in none of the root', async () => {
  const events = await world.leaf.gateway.events();
  const users = (code: string) => new Set(events.filter((event) => event.code === code).map(({ user }) => user));
  // An application was added and removed on both sides.
  expect([...users('TAP03I')].toSorted()).toEqual(['founder', 'root/admin']);
  expect((await world.root.events()).filter(({ code }) => code === 'TAP03I')).toEqual([]);
});
