import { expect, test } from 'vitest';
import { aclOf } from './acl-of.ts';
import type { Action } from './action.ts';
import { bindAccess } from './bind-access.ts';
import { compileRole } from './compile-role.ts';
import { decide } from './decide.ts';
import { parseRole } from './document/role-document.ts';
import { explain } from './explain.ts';
import { principalsFor } from './principals-for.ts';
import { accessStrategy, sessionOptions } from './session-options.ts';

const role = (name: string, spec: object) =>
  compileRole(parseRole(JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec })).document);

const access = (...specs: [string, object][]) =>
  bindAccess(
    specs.map(([name, spec]) => role(name, spec)),
    {
      username: 'ann',
      traits: { logins: ['ann'], team: ['red'], stars: ['*'] },
    },
  );

const node = (labels: Record<string, string>, login: string): Action => ({
  type: 'connect',
  kind: 'node',
  resource: { name: 'n1', labels },
  login,
});

const DEV: [string, object] = [
  'dev',
  { allow: { logins: ['{{internal.logins}}', 'root'], node_labels: { env: 'dev' } } },
];

const RECORDINGS = { resources: ['session'], verbs: ['delete'] };

test('an allowed session names the role, the clause, the labels and the trait', () => {
  expect(explain(access(DEV), node({ env: 'dev', os: 'linux' }, 'ann'))).toEqual({
    allowed: true,
    reasons: [
      {
        role: 'dev',
        side: 'allow',
        path: 'spec.allow.node_labels',
        labels: { env: 'dev' },
        traits: [{ trait: 'logins', value: 'ann' }],
        sentence: "role 'dev' allows it by spec.allow.node_labels (env: dev)",
      },
    ],
    change: [{ type: 'remove-clause', role: 'dev', path: 'spec.allow.node_labels' }],
    sentence: "allowed: role 'dev' allows it by spec.allow.node_labels (env: dev)",
  });
});

test('a denied session names the denying clause and what would let it through', () => {
  const given = access(DEV, ['no-root', { deny: { logins: ['r*'] } }]);

  expect(explain(given, node({ env: 'prod' }, 'root'))).toMatchObject({
    allowed: false,
    reasons: [{ role: 'no-root', path: 'spec.deny.logins[0]' }],
    change: [
      { type: 'remove-clause', role: 'no-root', path: 'spec.deny.logins[0]' },
      { type: 'add-label', role: 'dev', field: 'node_labels', key: 'env', value: 'prod' },
    ],
  });
});

test('what no role allows says what is missing', () => {
  expect(explain(access(DEV), node({ env: 'dev' }, 'eve'))).toMatchObject({
    reasons: [],
    sentence: "denied: no role allows it; adding 'eve' to the user's trait 'logins' would",
  });
});

test('login and labels must come from the same role', () => {
  const given = access(
    ['a', { allow: { logins: ['root'], node_labels: { env: 'dev' } } }],
    ['b', { allow: { logins: ['ann'], node_labels: { env: 'prod' } } }],
  );

  expect(decide(given, node({ env: 'prod' }, 'root')).allowed).toBe(false);
});

test('a star in a trait, or among allowed logins, is not everything', () => {
  const byTrait = access(['a', { allow: { logins: ['root'], node_labels: { env: '{{external.stars}}' } } }]);
  const byStar = access(['a', { allow: { logins: ['*'], node_labels: { '*': '*' } } }]);

  expect(decide(byTrait, node({ env: 'prod' }, 'root')).allowed).toBe(false);
  expect(decide(byStar, node({}, 'root')).allowed).toBe(false);
});

test('a resource without the named label, and a role without labels, reach nothing', () => {
  expect(decide(access(DEV), node({}, 'root')).allowed).toBe(false);
  expect(decide(access(['a', { allow: { logins: ['root'] } }]), node({ env: 'dev' }, 'root')).allowed).toBe(false);
  expect(
    decide(access(['a', { allow: { logins: ['root'], node_labels: { constructor: '*' } } }]), node({}, 'root')).allowed,
  ).toBe(false);
});

test.each(['root', 'ROOT', 'Root', 'ｒｏｏｔ'])(
  'a denied database user stays denied as %s where case does not count',
  (dbUser) => {
    const given = access(['a', { allow: { db_users: ['*'], db_labels: { '*': '*' } }, deny: { db_users: ['Root'] } }]);
    const connect: Action = {
      type: 'connect',
      kind: 'db',
      resource: { name: 'd', labels: {} },
      dbUser,
      ignoresCase: true,
    };

    expect(decide(given, connect).allowed).toBe(false);
  },
);

test('an expression that denies keeps its classes when case does not count', () => {
  const given = access([
    'a',
    { allow: { db_users: ['*'], db_labels: { '*': '*' } }, deny: { db_users: ['^ADM\\D+$'] } },
  ]);
  const connect = (dbUser: string): Action => ({
    type: 'connect',
    kind: 'db',
    resource: { name: 'd', labels: {} },
    dbUser,
    ignoresCase: true,
  });

  expect(decide(given, connect('admin')).allowed).toBe(false);
  expect(decide(given, connect('adm1')).allowed).toBe(true);
});

test('groups of a cluster may come from several roles; pods must be reached', () => {
  const given = access(
    [
      'a',
      {
        allow: {
          kubernetes_groups: ['view'],
          kubernetes_labels: { '*': '*' },
          kubernetes_resources: [{ kind: 'pod', namespace: 'dev', name: '*' }],
        },
      },
    ],
    [
      'b',
      {
        allow: {
          kubernetes_groups: ['edit'],
          kubernetes_labels: { '*': '*' },
          kubernetes_resources: [{ kind: 'pod', namespace: 'dev', name: '*' }],
        },
      },
    ],
  );
  const kube = (namespace: string): Action => ({
    type: 'connect',
    kind: 'kube',
    resource: { name: 'k', labels: {} },
    groups: ['view', 'edit'],
    object: { verb: 'get', apiGroup: '', resource: 'pods', namespace, name: 'x' },
  });

  expect(decide(given, kube('dev')).allowed).toBe(true);
  expect(decide(given, kube('prod')).allowed).toBe(false);
});

test('who may connect may list, without a rule saying so, unless a rule denies it', () => {
  const acl = aclOf(access(DEV));
  const denied = aclOf(access(DEV, ['blind', { deny: { rules: [{ resources: ['node'], verbs: ['list'] }] } }]));

  expect(acl.nodes).toEqual({ list: true, read: true, edit: false, create: false, remove: false });
  expect(acl.activeSessions).toMatchObject({ list: true, read: true });
  expect(acl.appServers.list).toBe(false);
  expect(denied.nodes).toMatchObject({ list: false, read: true });
});

test('a condition counts for the object and not for the acl', () => {
  const given = access([
    'own',
    {
      allow: {
        rules: [
          {
            resources: ['session'],
            verbs: ['list', 'read'],
            where: 'contains(session.participants, user.metadata.name)',
          },
        ],
      },
    },
  ]);
  const play = (participants: string[]): Action => ({
    type: 'verb',
    resource: 'session',
    verb: 'read',
    object: { session: { kind: 'ssh', user: 'bob', participants } },
  });

  expect(aclOf(given).recordedSessions.read).toBe(true);
  expect(decide(given, play(['bob', 'ann'])).allowed).toBe(true);
  expect(decide(given, play(['bob'])).allowed).toBe(false);
});

test('the acl never offers billing', () => {
  expect(aclOf(access(['all', { allow: { rules: [{ resources: ['*'], verbs: ['*'] }] } }])).billing.list).toBe(false);
});

test('joining follows the policies for the roles of the owner', () => {
  const given = access([
    'aud',
    { allow: { join_sessions: [{ name: 'j', roles: ['dev-*'], kinds: ['ssh'], modes: ['observer'] }] } },
  ]);
  const join = (ownerRole: string, mode: string): Action => ({
    type: 'join',
    session: { kind: 'ssh', ownerRoles: [ownerRole] },
    mode,
  });

  expect(decide(given, join('dev-a', 'observer')).allowed).toBe(true);
  expect(decide(given, join('dev-a', 'peer')).allowed).toBe(false);
  expect(decide(given, join('ops', 'observer')).allowed).toBe(false);
});

test('of several roles the strictest option holds', () => {
  const given = access(
    [
      'a',
      {
        options: {
          max_session_ttl: '8h',
          client_idle_timeout: '0s',
          desktop_clipboard: true,
          forward_agent: true,
          permit_x11_forwarding: true,
          record_session: { default: 'best_effort', desktop: false },
        },
      },
    ],
    [
      'b',
      {
        options: {
          max_session_ttl: '2h',
          client_idle_timeout: '10m',
          disconnect_grace: '1m',
          desktop_clipboard: false,
          require_session_mfa: true,
          record_session: { ssh: 'strict' },
        },
      },
    ],
    [
      'c',
      {
        options: {
          ssh_file_copy: false,
          port_forwarding: false,
          permit_x11_forwarding: false,
          max_sessions: 3,
          lock: 'strict',
          pin_source_ip: true,
          db_read_only: true,
          db_approval: true,
        },
      },
    ],
  );

  expect(sessionOptions(given)).toEqual({
    maxSessionMs: 7_200_000,
    idleTimeoutMs: 600_000,
    graceMs: 60_000,
    appRequests: false,
    disconnectExpired: false,
    requireMfa: true,
    recording: {
      node: 'strict',
      app: 'best_effort',
      kube: 'best_effort',
      db: 'best_effort',
      desktop: 'best_effort',
    },
    recordInput: false,
    recordDesktop: true,
    recordResults: false,
    clipboard: false,
    directorySharing: true,
    portForwarding: false,
    remoteForwarding: false,
    forwardAgent: true,
    x11Forwarding: false,
    dbExport: true,
    fileCopy: false,
    pinSourceIp: true,
    dbReadOnly: true,
    dbApproval: true,
    lockMode: 'strict',
    maxConnections: undefined,
    maxSessions: 3,
    maxKubeConnections: undefined,
  });
  expect(aclOf(given)).toMatchObject({ clipboardSharingEnabled: false, directorySharingEnabled: true });
});

test('asking for a reason wins over asking always', () => {
  const given = access(
    ['a', { options: { request_access: 'always' } }],
    ['b', { options: { request_access: 'reason', request_prompt: 'why?' } }],
  );

  expect(accessStrategy(given)).toEqual({ type: 'reason', prompt: 'why?' });
});

test.each([
  ['of all but some', { allow: { rules: [{ ...RECORDINGS, where: 'session.user != "boss"' }] } }],
  ['of some', { allow: { rules: [{ ...RECORDINGS, where: 'session.user == "eve"' }] } }],
  [
    'that some are taken from',
    { allow: { rules: [RECORDINGS] }, deny: { rules: [{ ...RECORDINGS, where: 'session.user == "boss"' }] } },
  ],
])('a right %s is no right to all of them', (_, spec) => {
  const given = access(['r', spec]);

  expect(decide(given, { type: 'verb', resource: 'session', verb: 'delete' }).allowed).toBe(false);
});

test('a condition about the user alone counts for all of them', () => {
  const where = 'contains(user.spec.traits["team"], "red")';
  const given = (side: object) => access(['r', { allow: { rules: [RECORDINGS] }, ...side }]);
  const all = { type: 'verb', resource: 'session', verb: 'delete' } as const;

  expect(decide(access(['r', { allow: { rules: [{ ...RECORDINGS, where }] } }]), all).allowed).toBe(true);
  expect(decide(given({ deny: { rules: [{ ...RECORDINGS, where: `!${where}` }] } }), all).allowed).toBe(true);
  expect(decide(given({ deny: { rules: [{ ...RECORDINGS, where }] } }), all).allowed).toBe(false);
});

test('a Windows account that is denied is denied under every domain, and its name alone is none of the others', () => {
  const denied = ['administrator', 'x\\Administrator', '.\\administrator', 'corp\\eve'];
  const allowed = ['administrator2', 'eve', 'x\\ann'];
  const names = [...denied, ...allowed];
  const given = access(
    ['windows', { allow: { windows_desktop_labels: { '*': '*' }, windows_desktop_logins: names } }],
    ['no-admin', { deny: { windows_desktop_logins: ['administrator', 'corp\\eve'] } }],
  );
  const may = (login: string) =>
    decide(given, { type: 'connect', kind: 'desktop', resource: { name: 'win', labels: {} }, login }).allowed;

  expect(names.filter(may)).toEqual(allowed);
  expect(principalsFor(given, 'desktop', {}, 'windows_desktop_logins')).toEqual(allowed);
});
