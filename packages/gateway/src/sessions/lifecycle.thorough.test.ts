/** One life of a session: whatever it is with and by whichever door somebody came, the same things end it, within two seconds, and nobody comes in again by what ended it. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { factsOf, kinds } from '@gatehouse/contract/kinds/kinds';
import { call } from '@gatehouse/contract/wire/client';
import { median, SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../testing/apps/app-world.ts';
import { PASSWORD } from '../../testing/identity-gateway.ts';
import { relabelPods } from '../../testing/sessions/kube-doors.ts';
import { DOORS, type LifecycleWorld, startLifecycleWorld } from '../../testing/sessions/lifecycle-world.ts';
import { NATIVE_DBS } from '../../testing/sessions/native-db-doors.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../testing/takeaways.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { endIdentity } from '../identity/connectors/links/end-identities.ts';
import { createKinds, type KindsDeps } from '../kinds/kinds.ts';

const IDLE_MS = 20 * 60_000;
const SIGNED_OUT_MS = 40 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const ALLOW =
  'logins: [ubuntu], node_labels: {env: dev}, app_labels: {env: dev}, db_labels: {env: dev}, db_users: [app], db_names: [shop, "0"], ' +
  'windows_desktop_labels: {env: dev}, windows_desktop_logins: [app], ' +
  "kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [{kind: pod, namespace: '*', name: '*'}]";
const NAMES = Object.keys(DOORS);

/** How long each took to be over, in milliseconds. */
const took: number[] = [];
let world: LifecycleWorld;
beforeAll(async () => {
  world = await startLifecycleWorld(SIGNED_OUT_MS);
  await makeTakeawayRoles(world.admin);
});
afterAll(() => world.close());

interface Somebody {
  name: string;
  role: string;
  admin: TestBrowser;
  who: TestBrowser;
  door: (typeof DOORS)[string];
}

let people = 0;
/** Each from an address of its own: one address does not sign in so many. */
async function signedIn(name: string): Promise<TestBrowser> {
  people += 1;
  const browser = world.gateway.browser({ address: `127.0.3.${people}` });
  await browser.signIn(name, PASSWORD);
  return browser;
}

async function somebody(door: string, options = '{}'): Promise<Somebody> {
  // The clock may have been moved past the sign-in of the one before.
  const admin = await signedIn('admin');
  const name = `somebody-${people}`;
  const role = `role-of-${name}`;
  await makeRole(admin, role, `{options: ${options}, allow: {${ALLOW}}}`);
  await world.gateway.addUser(name, { roles: [role] });
  return { name, role, admin, who: await signedIn(name), door: DOORS[door]! };
}

const setRole = ({ admin, role }: Somebody, metadata: string, spec: string) =>
  call(admin.send, roleRoutes.update, {
    params: { name: role },
    body: { content: `kind: role\nversion: v6\nmetadata: {name: ${role}${metadata}}\nspec: ${spec}\n` },
  });

interface Cause {
  options?: string;
  act(one: Somebody): unknown;
  /** What ended it is over: somebody may come again. */
  mayComeBack?: true;
}

const CAUSES: Record<string, Cause> = {
  'a lock on the user': {
    act: ({ admin, name }) =>
      call(admin.send, lockRoutes.create, { params: { clusterId: 'localhost' }, body: { targets: { user: name } } }),
  },
  'a lock on a role': {
    act: ({ admin, role }) =>
      call(admin.send, lockRoutes.create, { params: { clusterId: 'localhost' }, body: { targets: { role } } }),
  },
  'a role that allows it no more': { act: (one) => setRole(one, '', '{allow: {}}') },
  'a role that denies it': {
    act: (one) =>
      setRole(
        one,
        '',
        `{allow: {${ALLOW}}, deny: {node_labels: {env: dev}, app_labels: {env: dev}, db_labels: {env: dev}, kubernetes_labels: {env: dev}, windows_desktop_labels: {env: dev}}}`,
      ),
  },
  'a role that runs out': {
    async act(one) {
      const expires = new Date(world.gateway.clock.now + 60_000).toISOString();
      await setRole(one, `, expires: "${expires}"`, `{allow: {${ALLOW}}}`);
      await world.gateway.settled();
      world.gateway.clock.advance(60_001);
    },
  },
  'signing out': { act: ({ who }) => call(who.send, signInRoutes.signOut, {}) },
  'a provider that says they are gone': {
    async act({ name }) {
      const { db } = world.gateway.storage;
      const through = { connector: 'okta', subject: name };
      await db.updateTable('sign_in').set(through).where('user', '=', name).execute();
      await db.transaction().execute((tx) => endIdentity(tx, through, world.gateway.clock.now));
    },
  },
  'the longest a role lets it last': {
    options: '{max_session_ttl: 10m}',
    act: () => world.gateway.clock.advance(10 * 60_000 + 1),
    mayComeBack: true,
  },
  'resting longer than a role lets it': {
    options: '{client_idle_timeout: 20m}',
    act: () => world.gateway.clock.advance(IDLE_MS + 1),
    mayComeBack: true,
  },
  'the end of the sign-in, where a role lets nothing outlive it': {
    options: '{disconnect_expired_cert: true}',
    act: () => world.gateway.clock.advance(DAY_MS),
  },
  ...Object.fromEntries(
    TAKEAWAY_NAMES.map((what): [string, Cause] => [
      what,
      { act: ({ admin, name, role }) => TAKEAWAYS[what](admin, name, [role]) },
    ]),
  ),
};

/** A copy under way is no rest, and a terminal waits for its moderator. */
const EXCEPT: Record<string, readonly string[]> = {
  terminal: ['a moderator is asked for'],
  'socket of the reference': ['a moderator is asked for'],
  'door of SSH': ['a moderator is asked for'],
  files: ['resting longer than a role lets it'],
  // Signed in apart from the browser: it is signed out apart, too.
  'TCP connection': ['signing out'],
  'database tunnel': ['signing out'],
  'database tunnel through an agent': ['signing out'],
  'database editor': ['a moderator is asked for'],
  desktop: ['a moderator is asked for'],
  'terminal in a pod': ['a moderator is asked for'],
};

test('every kind that has sessions has a door here', () => {
  const withSessions = kinds.filter((kind) => createKinds({} as KindsDeps)[kind].audit);
  const doors = new Set(Object.values(DOORS).map(({ kind }) => kind));

  expect(withSessions.length).toBeGreaterThan(1);
  expect(withSessions.filter((kind) => !doors.has(kind))).toEqual([]);
});

const CASES = NAMES.flatMap((door) =>
  Object.keys(CAUSES)
    .filter((cause) => !EXCEPT[door]?.includes(cause))
    .map((cause) => [door, cause] as const),
);

test.each(CASES)('by the %s: %s ends it soon', async (name, cause) => {
  const { act, options, mayComeBack } = CAUSES[cause]!;
  const one = await somebody(name, options);
  const opened = await one.door.open(world, one.who);
  onTestFinished(() => opened.drop());
  const began = performance.now();

  await act(one);
  await opened.over;

  took.push(performance.now() - began);
  expect(took.at(-1)).toBeLessThan(SOON_MS);
  await opened.farEnd?.();
  if (!mayComeBack) await expect(one.door.open(world, one.who)).rejects.toThrow();
});

test.each(NAMES)('by the %s: what it is with is relabelled out of reach, and it is over', async (name) => {
  const one = await somebody(name);
  const opened = await one.door.open(world, one.who);
  const { kind } = one.door;
  onTestFinished(async () => {
    opened.drop();
    await relabel(one, kind, 'dev');
  });

  await relabel(one, kind, 'prod');
  await opened.over;

  await expect(one.door.open(world, one.who)).rejects.toThrow();
});

/** By the calls of its kind where there are some, otherwise as its agent reports it. */
async function relabel({ admin }: Somebody, kind: string, env: string): Promise<void> {
  if (kind === 'db') {
    for (const name of [...Object.values(NATIVE_DBS), 'far']) {
      const params = { clusterId: 'localhost', name };
      await call(admin.send, databaseRoutes.update, { params, body: { labels: [{ name: 'env', value: env }] } });
    }
    return;
  }
  if (kind === 'desktop') {
    const params = { clusterId: 'localhost', name: 'win' };
    await call(admin.send, desktopRoutes.update, { params, body: { labels: { env } } });
    return;
  }
  if (kind === 'kube') return await relabelPods(admin, env);
  if (kind !== 'app') return await world.change('node', { labels: { env } });
  for (const name of ['lively', 'bytes']) {
    const params = { clusterId: 'localhost', name };
    const { app: _, ...rest } = await call(admin.send, appRoutes.get, { params });
    await call(admin.send, appRoutes.update, { params, body: { ...rest, labels: { env } } } as never);
  }
}

const COUNTED = NAMES.filter((name) => DOORS[name]?.counts);
test.each(COUNTED)('by the %s: no more are opened than a role lets somebody have', async (name) => {
  const one = await somebody(name, `{${DOORS[name]?.counts}: 1}`);
  const opened = await one.door.open(world, one.who);
  onTestFinished(() => opened.drop());

  await expect(one.door.open(world, one.who)).rejects.toThrow();
});

test.each(NAMES)('by the %s: its begin and its end are told in the words of its kind', async (name) => {
  const one = await somebody(name);
  const opened = await one.door.open(world, one.who);
  onTestFinished(() => opened.drop());
  await TAKEAWAYS['the user is locked'](one.admin, one.name, []);
  await opened.over;

  const told = (await world.gateway.events()).filter(({ user }) => user === one.name).map(({ code }) => code);
  const others = kinds.filter((kind) => kind !== one.door.kind).map((kind) => factsOf(kind).sessionKind);
  expect(others.length).toBeGreaterThan(3);
  expect(
    told.filter((code) => (one.door.kind === 'app' ? /^T2000I|^T2004I/ : /^T2007I|^T2008I|^T2011I/).test(code)),
  ).toEqual([]);
});

test('what is taken away is over within two seconds', () => {
  expect(took.length).toBeGreaterThan(20);
  expect(median(took)).toBeLessThan(2_000);
});
