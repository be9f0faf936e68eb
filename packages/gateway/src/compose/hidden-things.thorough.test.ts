import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { allRoutes } from '@gatehouse/contract/api/api';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { NAMED_THINGS, type NamingRoute, type Thing } from '@gatehouse/contract/testing/named-things';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addHiddenClusters, CLUSTER_ROWS } from '../../testing/federation/hidden-clusters.ts';
import { ABSENT, ALL_ROLES, aNode, CLUSTER, hidden, KEY, LIMITED } from '../../testing/hidden-names.ts';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { insertDenial } from '../identity/explain/denial-store.ts';
import { takeNames } from '../inventory/held-names.ts';
import { putResources } from '../inventory/resource-store.ts';
import { insertFileSession } from '../kinds/node/files/file-session-store.ts';
import { insertJoinToken } from '../reach/agents/join-tokens/join-token-store.ts';
import { insertAgent } from '../reach/agents/registry/agent-store.ts';
import { insertDiagnostic } from '../sessions/connection-tests/diagnostic-store.ts';
import { insertSession } from '../sessions/host/session-store.ts';

interface Request {
  params?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: unknown;
}

interface Row {
  /** One call for each thing that the route names. */
  calls: readonly (readonly [Thing, (name: string) => Request, status?: 403])[];
  /** `limited` by conditions, or `planner`, who may also edit every role. */
  as?: 'limited' | 'planner';
  /** Where what is missing is not the thing but the right to any of its kind, or the answer tells what failed. */
  status?: 200 | 403;
}

type NamedRequest = (name: string) => Request;
const ofUser = (asked: NamedRequest, more: Partial<Row> = {}): Row => ({ calls: [['user', asked]], ...more });
const ofNode = (asked: NamedRequest): Row => ({ calls: [['node', asked]] });
const ofApp = (asked: NamedRequest): Row => ({ calls: [['app', asked]] });
const ofDb = ({ params = {}, ...more }: Request): Row => ({
  calls: [['db', (name) => ({ params: { ...CLUSTER, name, ...params }, ...more })]],
});
const ofDesktop = ({ params = {}, ...more }: Request = {}): Row => ({
  calls: [['desktop', (name) => ({ params: { ...CLUSTER, name, ...params }, ...more })]],
});
const onPath = (username: string): Request => ({ params: { username } });
const recording = (query: Request['query'] = {}): Row => ({
  calls: [['recording', (sid) => ({ params: { ...CLUSTER, sid }, query })]],
});
const files = (more: Request = {}): Row => ({
  calls: [['file-session', (fileSession) => ({ params: { ...CLUSTER, fileSession }, ...more })]],
});
const named = (thing: Thing, key: string, more: Partial<Row> = {}): Row => ({
  calls: [[thing, (name) => ({ params: { ...CLUSTER, [key]: name } })]],
  ...more,
});
const documents = (text: string): Request => ({ params: CLUSTER, body: { documents: text, dryRun: false } });
const roleText = (name: string) => `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {allow: {logins: [x]}}\n`;
const app = { uri: 'http://127.0.0.1:1', labels: { env: 'dev' } };
const wantedApp = (name: string) => ({ fqdn: `${name}.localhost`, cluster_name: '', public_addr: '' });
const LOCK_SPEC = '{target: {login: x}, message: m}';
const [path, upload] = [{ path: '/tmp/x' }, { folder: '/tmp', name: 'x', upload: '0123456789abcdef' }];

/** A route that names something does not compile without a row here. */
const ROWS: Record<NamingRoute, Row> = {
  'signIns.listOfUser': ofUser(onPath),
  'signIns.endAllOfUser': ofUser(onPath),
  'signIns.endOfUser': ofUser((username) => ({ params: { username, id: 'x' } })),
  'passwords.createToken': ofUser((name) => ({ body: { name } })),
  'lockOuts.lift': ofUser((name) => ({ params: { name } })),
  'users.invite': { ...ofUser((name) => ({ body: { name, roles: ['limited'] } })), status: 403 },
  'userRecords.get': ofUser(onPath),
  'userRecords.create': { ...ofUser((name) => ({ body: { name, roles: ['limited'] } })), status: 403 },
  'userRecords.update': ofUser((name) => ({ body: { name, roles: ['limited'] } })),
  'userRecords.remove': ofUser(onPath),
  'identities.ofUser': ofUser(onPath),
  'identities.link': ofUser((username) => ({ params: { username }, body: { connector: 'x', subject: 'y' } })),
  'identities.unlink': ofUser((username) => ({ params: { username, connector: 'x' } })),
  'roles.create': { calls: [['role', (name) => ({ body: { content: roleText(name) } })]], status: 403 },
  'roles.update': {
    calls: [['role', (name) => ({ params: { name }, body: { content: roleText(name) } })]],
    status: 403,
  },
  'roles.remove': named('role', 'name', { status: 403 }),
  'explain.explain': {
    calls: [
      ['user', (user) => ({ params: CLUSTER, body: { user, kind: 'node', resource: 'dev-1' } })],
      ['node', (resource) => ({ params: CLUSTER, body: { user: 'eve', kind: 'node', resource } })],
    ],
  },
  'explain.who': ofNode((resource) => ({ params: CLUSTER, body: { kind: 'node', resource } })),
  'explain.reach': ofUser((user) => ({ params: CLUSTER, body: { user } })),
  'whatIf.whatIf': {
    calls: [
      ['user', (name) => ({ params: CLUSTER, body: { change: { type: 'delete-user', name } } })],
      ['user', (name) => ({ params: CLUSTER, body: { change: { type: 'change-user', name, roles: [] } } })],
    ],
    as: 'planner',
  },
  'whatIf.resources': ofUser(
    (name) => ({ params: CLUSTER, body: { change: { type: 'delete-user', name }, key: 'W10' } }),
    { as: 'planner' },
  ),
  'denials.get': named('denial', 'id'),
  'apply.apply': {
    calls: [
      ['user', (name) => documents(`kind: user\nversion: v2\nmetadata: {name: ${name}}\nspec: {roles: [limited]}\n`)],
      ['role', (name) => documents(roleText(name)), 403],
      ['lock', (name) => documents(`kind: lock\nversion: v2\nmetadata: {name: ${name}}\nspec: ${LOCK_SPEC}\n`), 403],
    ],
  },
  'apply.export': {
    calls: [
      ['user', (name) => ({ params: CLUSTER, query: { kinds: 'user', name } })],
      ['lock', (name) => ({ params: CLUSTER, query: { kinds: 'lock', name } })],
    ],
  },
  'locks.create': ofUser((user) => ({ params: CLUSTER, body: { targets: { user }, message: '' } }), { as: 'planner' }),
  'locks.remove': named('lock', 'name'),
  'joinTokens.progress': named('join-token', 'id'),
  'joinTokens.remove': named('join-token', 'id'),
  'agents.remove': named('agent', 'id'),
  'nodes.get': named('node', 'id'),
  'nodes.readHostKeys': named('node', 'id'),
  'nodes.update': ofNode((id) => ({ params: { ...CLUSTER, id }, body: { name: 'renamed' } })),
  'nodes.setHostKeys': ofNode((id) => ({ params: { ...CLUSTER, id }, body: { hostKeys: [KEY] } })),
  'nodes.remove': named('node', 'id'),
  'apps.get': named('app', 'name'),
  'apps.update': ofApp((name) => ({ params: { ...CLUSTER, name }, body: app })),
  'apps.remove': named('app', 'name'),
  'apps.free': named('app-name', 'name'),
  'apps.fqdn': ofApp((name) => ({ params: { fqdn: `${name}.localhost` } })),
  'apps.fqdnOf': ofApp((name) => ({
    params: { fqdn: `${name}.localhost`, clusterId: 'localhost', publicAddr: `${name}.localhost` },
  })),
  'apps.session': ofApp((name) => ({ body: wantedApp(name) })),
  'apps.pass': ofApp((name) => ({ params: { ...CLUSTER, name: `${name}tcp` }, body: {} })),
  'apps.launch': ofApp((name) => ({ body: { ...wantedApp(name), state: 'a'.repeat(64) } })),
  'databases.get': named('db', 'name'),
  'databases.free': named('db-name', 'name'),
  'databases.update': ofDb({ body: { description: 'x' } }),
  'databases.details': named('db', 'name'),
  'databases.iamPolicy': named('db', 'name'),
  'databases.remove': named('db', 'name'),
  'databases.setSecret': ofDb({ params: { dbUser: 'x' }, body: { password: 'x' } }),
  'databases.removeSecret': ofDb({ params: { dbUser: 'x' } }),
  'databases.pass': ofDb({ body: { dbUser: 'x' } }),
  'dbApprovals.ask': ofDb({ body: { dbUser: 'x', sql: 'x', reason: 'x' } }),
  'dbTrust.certify': ofDb({ body: { dbUser: 'x', publicKey: '-----BEGIN PUBLIC KEY-----' } }),
  'databases.cancel': ofDb({ body: { key: '0'.repeat(16) } }),
  'kubernetes.get': named('kube', 'name'),
  'kubernetes.free': named('kube-name', 'name'),
  'kubernetes.update': {
    calls: [['kube', (name) => ({ params: { ...CLUSTER, name }, body: { namespaces: ['x'] } })]],
  },
  'kubernetes.checkStored': { calls: [['kube', (name) => ({ params: { ...CLUSTER, name }, body: {} })]] },
  'kubernetes.pods': { calls: [['kube', (name) => ({ params: CLUSTER, query: { kubeCluster: name } })]] },
  'kubernetes.remove': named('kube', 'name'),
  'kubePasses.give': { calls: [['kube', (name) => ({ params: { ...CLUSTER, name }, body: {} })]] },
  'kubePasses.ask': named('kube', 'name'),
  'desktops.get': ofDesktop(),
  'desktops.active': { ...ofDesktop(), status: 200 },
  'desktops.details': ofDesktop(),
  'desktops.update': ofDesktop({ body: { domain: 'x' } }),
  'desktops.remove': ofDesktop(),
  'desktops.readCertificate': ofDesktop(),
  'desktops.setCertificate': ofDesktop({ body: { pin: `sha256:${'0'.repeat(64)}` } }),
  'desktops.setPassword': ofDesktop({ params: { login: 'x' }, body: { password: 'x' } }),
  'desktops.removePassword': ofDesktop({ params: { login: 'x' } }),
  'diagnostics.mfaRequired': ofNode((name) => ({ params: CLUSTER, body: { node: { node_name: name, login: 'eve' } } })),
  'diagnostics.connect': {
    ...ofNode((name) => ({
      params: CLUSTER,
      body: { resource_kind: 'node', resource_name: name, ssh_principal: 'eve' },
    })),
    status: 200,
  },
  'diagnostics.draft': {
    calls: [['agent', (through) => ({ params: CLUSTER, body: { kind: 'app', spec: app, through } })]],
  },
  'diagnostics.read': named('diagnostic', 'id'),
  'sessions.get': named('session', 'sid'),
  'sessions.end': named('session', 'sid'),
  'recordings.get': recording(),
  'recordings.screen': recording({ at: 0 }),
  'recordings.playback': recording({ seek: 0 }),
  'recordings.pieces': recording({ seek: 0 }),
  'recordings.picture': recording({ at: 0 }),
  'recordings.find': recording({ text: 'x', q: 'x', search: 'x' }),
  'recordingUpkeep.verify': recording(),
  'recordingUpkeep.asciicast': recording(),
  'recordingUpkeep.statements': recording(),
  'recordingUpkeep.file': recording(),
  'referencePlayback.events': recording(),
  'referencePlayback.stream': recording(),
  'files.open': ofNode((server) => ({ params: CLUSTER, body: { server, login: 'eve' } })),
  'files.close': files(),
  'files.list': files({ query: path }),
  'files.stat': files({ query: path }),
  'files.read': files({ query: path }),
  'files.archive': files({ query: path }),
  'files.progress': files({ query: upload }),
  'files.write': files({ query: { ...upload, size: 3 }, body: 'x' }),
  'files.giveUp': files({ query: upload }),
  'files.makeFolder': files({ body: path }),
  'files.rename': files({ body: { ...path, name: 'y' } }),
  'files.remove': files({ body: { paths: ['/tmp/x'] } }),
  'files.readText': files({ query: path }),
  'files.saveText': files({ body: { ...path, text: '', version: 'f'.repeat(64) } }),
  'files.ticket': files({ body: { paths: ['/tmp/x'] } }),
  'scp.download': ofNode((id) => ({ params: { ...CLUSTER, id, login: 'eve' }, query: { location: 'x' } })),
  'scp.upload': ofNode((id) => ({
    params: { ...CLUSTER, id, login: 'eve' },
    query: { location: 'x', filename: 'x' },
    body: 'x',
  })),
  'clusters.removeAlert': named('alert', 'name', { status: 403 }),
  ...CLUSTER_ROWS,
};

let gateway: IdentityGateway;
/** Of eve: who is refused the same twice within a minute is told of once in the log, and both of what is compared are to be told. */
const TWIN = 'eva';
const callers = {} as Record<'limited' | 'planner' | 'twin', TestBrowser>;
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-hidden-'));

beforeAll(async () => {
  gateway = await startIdentityGateway({ dataDir });
  const { storage, clock } = gateway;
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const specs = { limited: LIMITED, planning: ALL_ROLES, [hidden.role]: '{allow: {logins: [x]}}' };
  for (const [name, spec] of Object.entries(specs)) {
    const content = `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
    await call(admin.send, roleRoutes.create, { body: { content } });
  }
  for (const name of ['eve', TWIN]) await gateway.addUser(name, { roles: ['limited'] });
  await gateway.addUser('pat', { roles: ['limited', 'planning'] });
  await gateway.addUser(hidden.user, { roles: ['limited'] });
  const prod = aNode(hidden.node, 'prod');
  for (const [name, uri] of [
    [hidden.app, 'http://127.0.0.1:1'],
    [`${hidden.app}tcp`, 'tcp://127.0.0.1:1'],
  ] as const) {
    await call(admin.send, appRoutes.add, { params: CLUSTER, body: { name, uri, labels: { env: 'prod' } } as never });
  }
  const database = { name: hidden.db, protocol: 'postgres', uri: '127.0.0.1:1', signIn: 'password' } as const;
  const labels = [{ name: 'env', value: 'prod' }];
  await call(admin.send, databaseRoutes.add, { params: CLUSTER, body: { ...database, labels } });
  const kube = { name: hidden.kube, server: 'https://127.0.0.1:1', labels: { env: 'prod' } };
  await call(admin.send, kubeRoutes.add, { params: CLUSTER, body: kube });
  const desktop = { name: hidden.desktop, addr: '127.0.0.1:1', labels: { env: 'prod' } };
  await call(admin.send, desktopRoutes.add, { params: CLUSTER, body: desktop });
  await call(admin.send, clusterRoutes.postAlert, { params: CLUSTER, body: { name: hidden.alert, message: 'm' } });
  await storage.db.transaction().execute(async (tx) => {
    await putResources(tx, [prod, aNode('dev-1', 'dev')], clock.now);
    const token = {
      roles: ['Node' as const],
      labels: {},
      created: clock.now,
      createdBy: 'admin',
      maxUses: undefined,
      offers: {},
      group: 'g',
    };
    hidden['join-token'] = (await insertJoinToken(tx, 'f'.repeat(32), { ...token, expires: clock.now + 3_600_000 })).id;
    await insertAgent(tx, {
      ...{ id: randomUUID(), cluster: 'localhost', name: hidden.agent, key: KEY, roles: ['Node'], labels: {} },
      ...{ version: '1', created: clock.now, createdBy: 'admin', address: '' },
    } as never);
    const diagnostic = { id: hidden.diagnostic, success: true, message: '', traces: [] };
    await insertDiagnostic(tx, { user: hidden.user, now: clock.now, diagnostic });
    const action = { type: 'connect' as const, kind: 'node' as const, login: 'x', resource: prod };
    for (const id of [hidden.session, hidden.recording]) {
      await insertSession(tx, {
        ...{ id, cluster: 'localhost', user: hidden.user, signInId: 's', address: '', request: id, action },
        ...{ created: clock.now, size: { cols: 80, rows: 24 }, agent: undefined, gateway: 'g', mfa: false },
        ...{ recorded: true, begun: clock.now },
      } as never);
    }
    await insertFileSession(tx, {
      ...{ id: hidden['file-session'], cluster: 'localhost', resourceId: prod.id, login: 'x', user: hidden.user },
      ...{ signInId: 's', created: clock.now, mfa: false },
    });
    for (const kind of ['app', 'db', 'kube'] as const)
      await takeNames(tx, {
        ...{ cluster: 'localhost', kind, id: hidden[`${kind}-name`], host: '', holder: 'g', now: clock.now },
      });
    await addHiddenClusters(tx, clock.now);
    await tx
      .insertInto('lock_out')
      .values({ name: hidden.user, since: clock.now, until: clock.now + 3_600_000, failures: 5, address: '' } as never)
      .execute();
  });
  await insertDenial(
    storage.db,
    { id: hidden.denial, user: hidden.user, roles: [], call: 'x', message: 'x', asked: '', reasons: [], change: [] },
    clock.now,
  );
  const lock = await call(admin.send, lockRoutes.create, {
    params: CLUSTER,
    body: { targets: { user: hidden.user }, message: '' },
  });
  hidden.lock = lock.name;
  await gateway.settled();
  callers.limited = await gateway.signedIn('eve');
  callers.twin = await gateway.signedIn(TWIN);
  callers.planner = await gateway.signedIn('pat');
});
afterAll(async () => {
  await gateway.close();
  rmSync(dataDir, { recursive: true });
});

const routes = new Map(allRoutes().map(({ feature, name, route }) => [`${feature}.${name}`, route]));

/** What the caller hears, without what they said themselves and without what is made up anew for each answer. */
async function ask(caller: keyof typeof callers, route: string, asked: (name: string) => Request, name: string) {
  const { method, path: pattern } = routes.get(route)!;
  const { params, query, body } = asked(name);
  const before = (await gateway.events()).length;
  const { status, text } = await callers[caller].send({
    method,
    url: `${pathFor(pattern, params)}${queryString(query)}`,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const events = (await gateway.events()).slice(before);
  const plain = (told: string) =>
    told
      .replaceAll(name, 'NAME')
      .replaceAll(new RegExp(`\\b${TWIN}\\b`, 'g'), 'eve')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
      .replaceAll(/"requestId": *"[^"]*"/g, 'REQUEST')
      .replaceAll(/"durationMs": *[\d.]+/g, 'TIME');
  return { status, text: plain(text), events: events.map(({ code, data }) => [code, plain(JSON.stringify(data))]) };
}

describe('whoever may not know of it hears of it as of what is not there', () => {
  const rows = Object.entries(ROWS).flatMap(([route, row]) =>
    row.calls.map(([thing, asked, status = row.status ?? 404], index) => ({
      title: `${route}, ${thing} ${index + 1}`,
      ...{ route, row, thing, asked, status },
    })),
  );

  test.each(rows)('$title', async ({ route, row, thing, asked, status }) => {
    const { as: caller = 'limited' } = row;
    const absent = await ask(caller, route, asked, ABSENT[thing]);
    const isTold = caller === 'limited' && absent.events.length > 0;
    const kept = await ask(isTold ? 'twin' : caller, route, asked, hidden[thing]);

    expect(absent, `the call itself is wrong: ${absent.text}`).toMatchObject({ status });
    expect(kept).toEqual(absent);
  });
});

test('every thing that a route says it names has a call', () => {
  const missing = Object.entries(ROWS).flatMap(([route, { calls }]) => {
    const things: readonly Thing[] = NAMED_THINGS[route as NamingRoute];
    return things.filter((thing) => !calls.some(([each]) => each === thing)).map((thing) => `${route} ${thing}`);
  });

  expect(missing).toEqual([]);
});

test('lists and counts leave out what the caller may not know of', async () => {
  const lists = allRoutes().filter(
    ({ feature, name, route }) =>
      route.method === 'GET' &&
      route.auth === 'signed-in' &&
      (NAMED_THINGS as Record<string, unknown>)[`${feature}.${name}`] === 'nothing' &&
      `${feature}.${name}` !== 'clusters.alerts',
  );
  // Roles are open to whoever explains access with them.
  const told = Object.values({ ...hidden, role: '' });
  for (const { route } of lists) {
    const { status, text } = await callers.limited.send({
      method: 'GET',
      url: `${pathFor(route.path, CLUSTER)}?query=x&q=x&text=x`,
    });
    // One that fails leaves out everything, and says nothing of what it would tell.
    expect(status, `${route.path}: ${text}`).toBeLessThan(500);
    expect(
      told.filter((name) => name !== '' && text.includes(name)),
      `${route.path}: ${text}`,
    ).toEqual([]);
  }
  expect((await call(callers.limited.send, userRoutes.list, {})).map(({ name }) => name)).toEqual([]);
});
