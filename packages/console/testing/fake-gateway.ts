/** A gateway for tests of screens: answers what it is told to, at the edge where bytes leave the browser. */

import { type Acl, emptyAcl, encodeAcl } from '@gatehouse/contract/access/acl';
import { type FoundUser, findUsers, userQuery } from '@gatehouse/contract/identity/users/find-users';
import type { App } from '@gatehouse/contract/kinds/app/apps';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import type { Label } from '@gatehouse/contract/std/labels';
import { CHECKED, OKTA } from './fake-connectors.ts';
import { DATABASES } from './fake-databases.ts';
import { DESKTOPS } from './fake-desktops.ts';
import { NO_KEYS } from './fake-ssh.ts';
import { HEADLESS } from './headless-request.ts';
import { NO_TRUSTS } from './no-trusts.ts';

type Answer = { status?: number; body: unknown } | 'no answer';
/** One that looks at what follows the question mark answers by the path alone. */
type Answering = Answer | ((query: URLSearchParams) => Answer);
type Answers = Record<string, Answering>;

export interface FakeGateway {
  fetch: typeof fetch;
  /** Method and path of every call, in order. */
  calls: string[];
  /** What each call carried, in the same order. */
  bodies: unknown[];
  /** Headers of the last call. */
  lastHeaders: () => Headers;
  answer: (call: string, answer: Answering) => void;
}

export const CLUSTER = {
  name: 'one',
  lastConnected: '2026-11-15T03:00:00Z',
  status: 'online',
  nodeCount: 3,
  publicURL: 'one.example.com:443',
  authVersion: '0.1.0',
  proxyVersion: '0.1.0',
};

const TIMES = { created: '2026-11-15T03:00:00Z', lastActive: '2026-11-15T03:00:00Z', expires: '2026-11-16T03:00:00Z' };

export const SIGN_INS = [
  { id: 'here', kind: 'browser', device: 'Chrome on Linux', address: '127.0.0.1', ...TIMES, current: true },
  { id: 'there', kind: 'browser', device: 'Safari on iPhone', address: '10.0.0.7', ...TIMES, current: false },
  { id: 'line', kind: 'cli', device: 'gatehouse on laptop', address: '10.0.0.8', ...TIMES, current: false },
];

export const DEVICES = [
  { id: 'd1', name: 'phone', type: 'TOTP', lastUsed: '2026-11-15T03:00:00Z', addedAt: '2026-11-15T03:00:00Z' },
  {
    id: 'd2',
    name: 'yubikey',
    type: 'WebAuthn',
    lastUsed: '0001-01-01T00:00:00Z',
    addedAt: '2026-11-15T03:00:00Z',
    passwordless: true,
  },
];

export const LINK = {
  tokenId: 't-1',
  user: 'maya',
  qrCode: 'iVBORw0KGgo=',
  expiry: '0001-01-01T00:00:00Z',
  type: 'invite',
  totpSecret: 'JBSWY3DPEHPK3PXP',
};

export const USERS = [
  {
    name: 'maya',
    roles: ['access', 'editor'],
    authType: 'local',
    factors: ['app', 'passkey'],
    lastSignIn: '2026-11-15T03:00:00Z',
    state: 'active',
  },
  { name: 'tomas', roles: ['access'], authType: 'local', factors: [], invited: true, state: 'invited' },
  {
    name: 'ines',
    roles: ['auditor'],
    authType: 'github',
    factors: [],
    lastSignIn: '2026-11-14T03:00:00Z',
    state: 'locked',
  },
];

export const ROLES = ['access', 'auditor', 'editor'].map((name) => ({
  id: `role:${name}`,
  kind: 'role',
  name,
  revision: `${name}-1`,
  content: `kind: role\nversion: v6\nmetadata:\n  name: ${name}\n  description: '0.1.0'\nspec:\n  allow:\n    logins: [root] # kept\n`,
}));

export const LOCK = {
  name: 'l-1',
  targets: { user: 'ines' },
  message: '0.1.0',
  createdAt: '2026-11-15T03:00:00Z',
  createdBy: 'maya',
  expires: '',
};

export const NODES: Node[] = [
  node('web-01', { addr: '10.0.0.4:22', tags: { env: 'prod', role: 'web' }, sshLogins: ['deploy', 'root'] }),
  node('web-02', { tags: { env: 'prod', role: 'web' }, sshLogins: ['*'] }),
  node('vault-01', { addr: '10.0.0.9:22', tags: { env: 'dev' }, sshLogins: [] }),
];

export const APPS: App[] = [
  app('grafana', { description: 'Charts of everything', labels: { env: 'prod' } }),
  app('wiki', { insecure: true, labels: { env: 'dev' } }),
  app('postgres', { uri: 'tcp://10.0.0.7:5432', labels: { env: 'prod' } }),
  app('aws-main', {
    uri: 'cloud://aws',
    awsRoles: [
      { name: 'admin', display: 'admin', arn: 'arn:aws:iam::123456789012:role/admin' },
      { name: 'ops/read', display: 'read', arn: 'arn:aws:iam::123456789012:role/ops/read' },
    ],
  }),
];

interface AppFacts {
  uri?: string;
  description?: string;
  labels?: Record<string, string>;
  insecure?: boolean;
  source?: 'agent' | 'entered';
  awsRoles?: App['awsRoles'];
}

export function app(name: string, facts: AppFacts = {}): App {
  const { uri = `http://${name}.inside:3000`, description = '', labels = {}, insecure = false } = facts;
  const { source = 'entered', awsRoles } = facts;
  const [scheme] = uri.split('://', 1);
  const type = scheme === 'tcp' ? 'tcp' : scheme === 'cloud' ? 'aws' : 'web';
  const publicAddr = `${name}.one.example.com`;
  return {
    name,
    description,
    uri,
    publicAddr,
    fqdn: publicAddr,
    clusterId: 'one',
    labels: Object.entries(labels).map(([key, value]) => ({ name: key, value })),
    awsConsole: type === 'aws',
    ...(awsRoles ? { awsRoles } : {}),
    gatehouse: { type, source, origin: `https://${publicAddr}`, icon: '', insecure, ways: 0, connected: 0 },
  };
}

export function appDetails(shown: App) {
  const rewrite = { redirect: [], headers: [], jwt: 'roles-and-traits' };
  return {
    app: shown,
    description: shown.description,
    uri: shown.uri,
    publicAddr: '',
    icon: '',
    insecureSkipVerify: shown.gatehouse?.insecure ?? false,
    ca: '',
    serverName: '',
    rewrite,
    aws: { externalId: '' },
    labels: Object.fromEntries(shown.labels.map(({ name, value }) => [name, value])),
    through: [],
  };
}

/** Lists as the gateway does, see `listNodes`. */
export function listNamed(all: () => readonly { name: string; labels: readonly Label[] }[]) {
  return (query: URLSearchParams): Answer => {
    const found = filtered(
      all(),
      query,
      ({ name }) => name,
      ({ labels }) => labels,
    );
    return { body: { items: found, startKey: '', totalCount: found.length } };
  };
}

interface NodeFacts {
  addr?: string;
  tags?: Record<string, string>;
  sshLogins?: string[];
}

/** One without an address has its own agent. */
export function node(hostname: string, { addr = '', tags = {}, sshLogins = ['root'] }: NodeFacts = {}): Node {
  return {
    tunnel: addr === '',
    id: `id-${hostname}`,
    siteId: 'one',
    hostname,
    addr,
    tags: Object.entries(tags).map(([name, value]) => ({ name, value })),
    sshLogins,
    gatehouse:
      addr === ''
        ? { type: 'agent', agent: `id-${hostname}`, os: 'Debian 13', arch: 'x64', version: '0.1.0' }
        : { type: 'openssh', agent: '', os: '', arch: '', version: '' },
  };
}

/** A change that gives nobody anything. */
export const NO_EFFECTS = {
  items: [],
  startKey: '',
  totalCount: 0,
  total: { users: { gained: 0, lost: 0 }, resources: { gained: 0, lost: 0 }, names: { gained: 0, lost: 0 } },
  kinds: [],
  rights: { users: 0, items: [] },
  hiddenUsers: 0,
};

/** Finds as the gateway does. */
export function listUsers(users: () => readonly FoundUser[]) {
  return (query: URLSearchParams): Answer => ({
    body: findUsers(users(), userQuery.parse(Object.fromEntries(query))),
  });
}

/** Lists as the gateway does: a word must be in the name, a label must fit, pages go on from a place. */
export function listNodes(nodes: () => readonly Node[]) {
  return (query: URLSearchParams): Answer => {
    const status = query.get('status');
    const found = filtered(
      nodes().filter(({ gatehouse: more }) => !status || (more?.status ?? 'unknown') === status),
      query,
      ({ hostname }) => hostname,
      ({ tags }) => tags,
    );
    const start = Number(query.get('startKey') ?? 0) + Number(query.get('skip') ?? 0);
    const end = start + Number(query.get('limit') ?? 1000);
    const startKey = end < found.length ? String(end) : '';
    return { body: { items: found.slice(start, end), startKey, totalCount: found.length } };
  };
}

function filtered<T>(
  all: readonly T[],
  query: URLSearchParams,
  nameOf: (row: T) => string,
  labelsOf: (row: T) => readonly Label[],
): T[] {
  const word = query.get('search') ?? /search\("([^"]*)"\)/.exec(query.get('query') ?? '')?.[1] ?? '';
  const wanted = [...(query.get('query') ?? '').matchAll(/labels\["([^"]*)"\] == "([^"]*)"/g)];
  const sign = query.get('sort')?.endsWith(':desc') ? -1 : 1;
  return all
    .filter((row) => nameOf(row).includes(word))
    .filter((row) =>
      wanted.every(([, name, value]) => labelsOf(row).some((label) => label.name === name && label.value === value)),
    )
    .toSorted((a, b) => sign * (nameOf(a) < nameOf(b) ? -1 : 1));
}

export const CLI_LOGIN = {
  requestId: 'r-1',
  state: 'pending',
  code: 'WXYZ-1234',
  client: 'gatehouse on laptop',
  address: '10.0.0.8',
  elsewhere: false,
  created: '2026-11-15T03:00:00Z',
  expires: '2026-11-16T03:00:00Z',
};

/** Everything allowed, unless told otherwise. */
export function fullAcl(): Acl {
  const acl = emptyAcl();
  for (const grants of Object.values(acl)) {
    if (typeof grants === 'object')
      Object.assign(grants, { list: true, read: true, edit: true, create: true, remove: true });
  }
  return acl;
}

export function fakeGateway(acl: Acl = fullAcl()): FakeGateway {
  const answers: Answers = {
    'GET /v1/webapi/sites/-current-/context': {
      body: { authType: 'local', userName: 'maya', userAcl: encodeAcl(acl), cluster: CLUSTER },
    },
    'GET /v1/webapi/sites': { body: [CLUSTER, { ...CLUSTER, name: 'another', status: 'offline' }] },
    'GET /v1/webapi/sites/one/alerts': { body: { alerts: null } },
    'GET /v1/webapi/sites/one/resources/check': { body: { hasResource: true } },
    'GET /v1/webapi/user/status': { body: { message: 'ok' } },
    'DELETE /v1/webapi/sessions/web': { body: { message: 'ok' } },
    'GET /v1/webapi/ping': { body: pong() },
    'GET /v1/webapi/signins': { body: SIGN_INS },
    'GET /v1/webapi/apitokens': { body: [] },
    ...NO_KEYS,
    ...NO_TRUSTS,
    'GET /v1/webapi/mfa/devices': { body: DEVICES },
    'GET /v1/webapi/recovery': { body: { created: '2026-11-15T03:00:00Z', left: 8 } },
    'GET /v1/webapi/users/password/token/t-1': { body: LINK },
    'GET /v1/webapi/users': { body: USERS },
    'GET /v1/webapi/sites/-current-/users': listUsers(() => USERS as FoundUser[]),
    'POST /v1/webapi/sites/-current-/access/what-if': { body: NO_EFFECTS },
    'GET /v1/webapi/lockouts': { body: [] },
    'GET /v1/webapi/github': { body: [] },
    'GET /v1/webapi/oidc': { body: [OKTA] },
    'GET /v1/webapi/saml': { body: [] },
    'POST /v1/webapi/sso/check': { body: CHECKED },
    'POST /v1/webapi/sso/effect': { body: { users: [], unchanged: 0 } },
    'GET /v1/webapi/sso/identities': { body: [] },
    'GET /v1/webapi/sso/keys': { body: { keys: [], isLastAdministrator: false } },
    ...Object.fromEntries(USERS.map(({ name }) => [`GET /v1/webapi/users/${name}/identities`, { body: [] }])),
    'GET /v1/webapi/roles': { body: ROLES },
    'GET /v1/webapi/sites/-current-/locks': { body: [LOCK] },
    'GET /v1/webapi/cli/logins/r-1': { body: CLI_LOGIN },
    [`GET /v1/webapi/headless/${HEADLESS.header.metadata.name}`]: { body: HEADLESS },
    'GET /v1/webapi/headless': { body: [] },
    'GET /v1/webapi/sites/one/nodes': listNodes(() => NODES),
    'GET /v1/webapi/sites/one/node-summary': {
      body: { seen: 14, signIn: 14, online: 12, unreachable: 1, unknown: 1 },
    },
    'GET /v1/webapi/sites/one/app-names': { body: [] },
    'GET /v1/webapi/sites/one/apps': listNamed(() => APPS),
    'GET /v1/webapi/sites/one/databases': listNamed(() => DATABASES),
    'GET /v1/webapi/sites/one/databaseapprovals': { body: { items: [] } },
    'GET /v1/webapi/sites/one/databaseapprovals/own': { body: { items: [] } },
    'GET /v1/webapi/sites/one/desktops': listNamed(() => DESKTOPS),
    'GET /v1/webapi/sites/one/kubernetes': listNamed(() => []),
    'POST /v1/webapi/sites/one/files': {
      body: { id: 'f-1', server: { id: 's-1', name: 's-1' }, login: 'root', home: '/root' },
    },
    'GET /v1/webapi/sites/one/files/f-1/list': { body: { path: '/root', entries: [], complete: true } },
    'GET /v1/webapi/agents': { body: [] },
    'GET /v1/webapi/sites/one/sessions': { body: { sessions: [] } },
    'GET /v1/webapi/sites/one/events/search': { body: { events: [], startKey: '' } },
    'GET /v1/webapi/sites/one/events/facets': (query) => ({ body: eventCounts(query) }),
    'GET /v1/webapi/sites/one/recordings': { body: { recordings: [], startKey: '' } },
    'GET /v1/webapi/sites/one/recording-coverage': {
      body: { sessions: 0, recorded: 0, share: 1, gaps: [], gapsComplete: true, checked: '2026-11-15T03:00:00Z' },
    },
    'GET /v1/webapi/sites/one/audit/state': {
      body: { retentionDays: 0, strict: false, queued: 0, deadLetters: 0, sinks: [] },
    },
  };
  const calls: string[] = [];
  const bodies: unknown[] = [];
  let headers = new Headers();
  return {
    calls,
    bodies,
    lastHeaders: () => headers,
    answer: (call, answer) => {
      answers[call] = answer;
    },
    fetch: async (input, init) => {
      const call = `${init?.method ?? 'GET'} ${String(input)}`;
      bodies.push(typeof init?.body === 'string' ? JSON.parse(init.body) : undefined);
      calls.push(call);
      headers = new Headers(init?.headers);
      const [path = '', query] = call.split('?', 2);
      const given = answers[call] ??
        answers[path] ?? { status: 404, body: failure('not_found', `no answer for ${call}`) };
      const answer = typeof given === 'function' ? given(new URLSearchParams(query)) : given;
      if (answer === 'no answer') throw new TypeError('Failed to fetch');
      return new Response(JSON.stringify(answer.body), { status: answer.status ?? 200 });
    },
  };
}

/** Counts of an empty log; a test adds what it has. */
export function eventCounts(query: URLSearchParams) {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const count = Number(query.get('buckets') ?? 60);
  const bucketMs = (Date.parse(to) + 1 - Date.parse(from)) / count;
  const buckets = Array.from({ length: count }, (_, index) => ({
    time: new Date(Date.parse(from) + index * bucketMs).toISOString(),
    info: 0,
    warning: 0,
    error: 0,
  }));
  const none = { total: 0, types: [], users: [], severities: [], kinds: [] };
  return { from, to, bucketMs, buckets, complete: true, countedFrom: from, ...none };
}

export function failure(code: string, message: string) {
  return { error: { message, code, requestId: 'request-7' }, message };
}

export function pong() {
  return {
    auth: { type: 'local', second_factor: 'optional', private_key_policy: 'none', has_motd: false },
    proxy: { kube: {}, ssh: { public_addr: 'one.example.com:443' }, db: {}, tls_routing_enabled: false },
    server_version: '0.1.0',
    min_client_version: '0.1.0',
    cluster_name: 'one',
    automatic_upgrades: false,
  };
}
