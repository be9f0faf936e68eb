/**
 * Every option and clause of a role has an effect that a test shows, holds because nobody can do here what it forbids, or is
 * refused by its name. A word that is added to the vocabulary without a row here fails.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { roleConditions, roleRule } from '@gatehouse/contract/access/roles/role-conditions';
import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import { roleOptions } from '@gatehouse/contract/access/roles/role-options';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import type { KINDS } from '@gatehouse/contract/kinds/kinds';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import type { Action } from './action.ts';
import { bindAccess } from './bind-access.ts';
import { compileRole } from './compile-role.ts';
import { decide } from './decide.ts';
import { parseRole } from './document/role-document.ts';
import { sessionOptions } from './session-options.ts';

const SRC = resolve(import.meta.dirname, '..');

type Outcome =
  /** A test that shows what it does: its file below `src`, and a part of its name. */
  | { shown: readonly [file: string, name: string] }
  /** It forbids, or demands something of, what does not exist here. */
  | { nobodyCan: keyof typeof DOORS }
  /** These values are refused by name; others change nothing and take nothing. */
  | { refused: readonly unknown[] };

/** Where what does not exist yet would be built. */
const DOORS = { providers: 'kinds/saml-idp' } as const;

const shown = (file: string, name: string): Outcome => ({ shown: [file, name] });
const RULES = 'sessions/session-rules.thorough.test.ts';

const SSH_BACKWARD = 'doors/ssh/backward.integration.test.ts';

const OPTIONS: Record<string, Outcome> = {
  max_session_ttl: shown(RULES, 'length and silence end sessions'),
  client_idle_timeout: shown(RULES, 'length and silence end sessions'),
  disconnect_grace: shown(RULES, 'a role says how long a lost network is waited for'),
  disconnect_expired_cert: shown(RULES, 'lets a session end with the sign-in'),
  'record_session.default': shown('evidence/recordings', 'strict'),
  'record_session.ssh': shown('evidence/recordings', 'strict'),
  'record_session.db': shown('kinds/db/recorded-db.integration.test.ts', 'strict'),
  'record_session.db_results': shown('kinds/db/recorded-db.integration.test.ts', 'sample'),
  'record_session.desktop': shown('kinds/desktop/desktop-sessions.integration.test.ts', 'record_session'),
  'record_session.input': shown('evidence/recordings', 'input'),
  'record_session.app': shown('kinds/app', 'record_session'),
  require_session_mfa: shown(RULES, 'a second factor is asked for in-band'),
  'require_session_mfa (hardware)': { refused: ['hardware_key', 'hardware_key_touch'] },
  lock: shown('sessions/host/freeze-lost.test.ts', 'strict'),
  desktop_clipboard: shown('kinds/desktop/desktop-sessions.integration.test.ts', 'desktop_clipboard'),
  desktop_directory_sharing: shown('kinds/desktop/folders/desktop-folders.test.ts', 'desktop_directory_sharing'),
  port_forwarding: shown('kinds/kube', 'closed by port_forwarding'),
  ssh_file_copy: shown('kinds/node/files', 'ssh_file_copy'),
  remote_forwarding: shown(SSH_BACKWARD, 'a server listens for a program where a role says so'),
  forward_agent: shown(SSH_BACKWARD, 'the keys of a program are used on a server where a role says so'),
  permit_x11_forwarding: shown(SSH_BACKWARD, 'windows of a server are drawn where a role says so'),
  pin_source_ip: shown('identity/sign-in/tied-doors.thorough.test.ts', 'every call that asks for a sign-in is refused'),
  db_export: shown('kinds/db/workbench/editor.integration.test.ts', 'a role forbids files and writing'),
  db_approval: shown('kinds/db/approval/approved.integration.test.ts', 'waits for an approval'),
  db_read_only: shown('kinds/db/databases.integration.test.ts', 'a role that asks for reading alone'),
  max_connections: shown(RULES, 'limits of roles are counted'),
  max_sessions: shown(RULES, 'sessions with one server are counted'),
  max_kubernetes_connections: shown('sessions/lifecycle.thorough.test.ts', 'no more are opened than a role lets'),
  request_access: shown('identity/roles/roles.thorough.test.ts', 'accessStrategy'),
  request_prompt: shown('identity/roles/roles.thorough.test.ts', 'accessStrategy'),
  cert_format: { refused: ['oldssh'] },
  enhanced_recording: { refused: [['command'], ['disk', 'network']] },
  create_host_user: { refused: [true] },
  create_db_user_mode: shown('kinds/db/made/made-users.integration.test.ts', 'is made when they connect'),
  create_db_user: shown('kinds/db/made-user.test.ts', 'create_db_user'),
  device_trust_mode: { refused: ['required'] },
  'idp.saml.enabled': { nobodyCan: 'providers' },
  cert_extensions: { refused: [[{ name: 'x', type: 'ssh', mode: 'extension', value: 'y' }]] },
};

/** Every name of the schema, with the inside of what has one. */
function namesOf(schema: z.ZodType, before = ''): string[] {
  let inner: unknown = schema;
  while (isWrapper(inner)) inner = inner.def.innerType;
  const shape = (inner as { shape?: Record<string, z.ZodType> }).shape;
  if (!shape) return [before];
  return Object.entries(shape).flatMap(([name, field]) => namesOf(field, before === '' ? name : `${before}.${name}`));
}

function isWrapper(schema: unknown): schema is { def: { innerType: unknown } } {
  return typeof schema === 'object' && schema !== null && 'innerType' in ((schema as { def?: object }).def ?? {});
}

function textsBelow(place: string): string {
  const path = join(SRC, place);
  if (path.endsWith('.ts')) return existsSync(path) ? readFileSync(path, 'utf8') : '';
  return listTests(path)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

function listTests(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

const withOption = (name: string, value: unknown): string => {
  const path = name.replace(/ \(.*$/, '').split('.');
  const options = path.reduceRight<unknown>((inside, key) => ({ [key]: inside }), value);
  return JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'walked' }, spec: { options } });
};

test('every option of the vocabulary has a row, and every row an option', () => {
  const rows = new Set(Object.keys(OPTIONS).map((name) => name.replace(/ \(.*$/, '')));

  expect([...rows].sort()).toEqual(namesOf(roleOptions).sort());
});

test('what is worked out of options is read somewhere', () => {
  // Comparing roles is not heeding them.
  const aside = ['access/session-options.ts', 'access/strictness.ts'];
  const others = listSources(SRC).filter((path) => !aside.some((file) => path.endsWith(file)));
  const text = others.map((path) => readFileSync(path, 'utf8')).join('\n');

  const unread = Object.keys(sessionOptions({ roles: [] })).filter((field) => !new RegExp(`\\b${field}\\b`).test(text));
  // Asked of each role for every call.
  expect(unread.sort()).toEqual(['pinSourceIp']);
});

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('testing/'))
    .map((name) => join(folder, name));
}

describe.each(Object.entries(OPTIONS))('%s', (name, outcome) => {
  if ('shown' in outcome)
    test('a test shows what it does', () => {
      expect(textsBelow(outcome.shown[0]).includes(outcome.shown[1])).toBe(true);
    });
  if ('nobodyCan' in outcome)
    test(`holds by itself: there are no ${outcome.nobodyCan}`, () => {
      // Whoever builds one of these gives its options an effect, and a row above.
      expect(existsSync(join(SRC, DOORS[outcome.nobodyCan]))).toBe(false);
    });
  if ('refused' in outcome)
    test('is refused by name', () => {
      for (const value of outcome.refused)
        expect(() => parseRole(withOption(name, value))).toThrow(new RegExp(name.replace(/ \(.*$/, '')));
    });
});

const ANY = { '*': ['*'] };
const resource = { cluster: 'c', id: 'x', name: 'x', labels: { env: 'prod' }, spec: {}, owner: '', expires: undefined };
const POD = { kind: 'pod', namespace: 'n', name: 'p' };
const PERSON = { username: 'ann', traits: {} };

const may = (spec: RoleDocument['spec'], action: Action, version: RoleDocument['version'] = 'v6') =>
  decide(bindAccess([compileRole({ kind: 'role', version, metadata: { name: 'r' }, spec })], PERSON), action).allowed;

const connect = (kind: keyof typeof KINDS, more: object): Action =>
  ({ type: 'connect', kind, resource: { ...resource, kind }, ...more }) as unknown as Action;
const see = (kind: keyof typeof KINDS): Action =>
  ({ type: 'see', kind, resource: { ...resource, kind } }) as unknown as Action;

const LABELLED: Record<string, Action> = {
  node_labels: see('node'),
  app_labels: see('app'),
  kubernetes_labels: see('kube'),
  db_labels: see('db'),
  windows_desktop_labels: see('desktop'),
};

const reading = (object: object): Action =>
  ({ type: 'verb', resource: 'session', verb: 'read', object: { kind: 'session', ...object } }) as unknown as Action;
const JOINING = {
  type: 'join',
  mode: 'observer',
  session: { kind: 'ssh', ownerRoles: ['dev'] },
} as unknown as Action;

/** A clause alone lets something through that nothing lets through without it, and under deny takes it away. */
const CLAUSES: Record<
  string,
  | { allow: RoleDocument['spec']['allow']; action: Action }
  | { refused: object }
  | { shown: readonly [string, string] }
  | { unasked: string }
> = {
  ...Object.fromEntries(
    Object.entries(LABELLED).map(([field, action]) => [field, { allow: { [field]: { env: ['prod'] } }, action }]),
  ),
  cluster_labels: { unasked: 'clusters that are trusted do not exist here' },
  db_service_labels: { unasked: 'services of databases do not exist here' },
  logins: { allow: { node_labels: ANY, logins: ['root'] }, action: connect('node', { login: 'root' }) },
  aws_role_arns: {
    allow: { app_labels: ANY, aws_role_arns: ['a:role/x'] },
    action: connect('app', { awsRoleArn: 'a:role/x' }),
  },
  azure_identities: {
    allow: { app_labels: ANY, azure_identities: ['a'] },
    action: connect('app', { azureIdentity: 'a' }),
  },
  gcp_service_accounts: {
    allow: { app_labels: ANY, gcp_service_accounts: ['a'] },
    action: connect('app', { gcpServiceAccount: 'a' }),
  },
  kubernetes_users: {
    allow: { kubernetes_labels: ANY, kubernetes_users: ['u'] },
    action: connect('kube', { user: 'u', groups: [] }),
  },
  kubernetes_groups: {
    allow: { kubernetes_labels: ANY, kubernetes_groups: ['g'] },
    action: connect('kube', { groups: ['g'] }),
  },
  kubernetes_resources: {
    allow: { kubernetes_labels: ANY, kubernetes_groups: ['g'], kubernetes_resources: [POD] },
    action: connect('kube', {
      groups: ['g'],
      object: { verb: 'get', apiGroup: '', resource: 'pods', namespace: 'n', name: 'p' },
    }),
  },
  db_users: { allow: { db_labels: ANY, db_users: ['u'] }, action: connect('db', { dbUser: 'u' }) },
  db_names: {
    allow: { db_labels: ANY, db_users: ['u'], db_names: ['d'] },
    action: connect('db', { dbUser: 'u', dbName: 'd' }),
  },
  db_roles: {
    allow: { db_labels: ANY, db_users: ['u'], db_names: ['d'], db_roles: ['r'] },
    action: connect('db', { dbUser: 'u', dbName: 'd', dbRole: 'r' }),
  },
  windows_desktop_logins: {
    allow: { windows_desktop_labels: ANY, windows_desktop_logins: ['l'] },
    action: connect('desktop', { login: 'l' }),
  },
  rules: { allow: { rules: [{ resources: ['session'], verbs: ['read'] }] }, action: reading({ name: 'x' }) },
  join_sessions: {
    allow: { join_sessions: [{ name: 'j', roles: ['dev'], kinds: ['ssh'], modes: ['observer'] }] },
    action: JOINING,
  },
  require_session_join: { shown: ['sessions/moderated.thorough.test.ts', 'require_session_join'] },
  impersonate: { refused: { roles: ['x'] } },
  request: { refused: { roles: ['x'] } },
  review_requests: { refused: { roles: ['x'] } },
  host_groups: { refused: ['wheel'] },
  host_sudoers: { refused: ['ALL'] },
};

test('every clause has a row, and every row a clause', () => {
  expect(Object.keys(CLAUSES).sort()).toEqual(Object.keys(roleConditions.shape).sort());
});

test.each(Object.entries(CLAUSES))('the clause %s decides, or is refused by name', (field, row) => {
  if ('shown' in row) return expect(textsBelow(row.shown[0]).includes(row.shown[1])).toBe(true);
  if ('refused' in row) {
    const text = JSON.stringify({
      ...{ kind: 'role', version: 'v6', metadata: { name: 'walked' } },
      spec: { allow: { [field]: row.refused } },
    });
    return expect(() => parseRole(text)).toThrow(field);
  }
  // What nobody can be given here, roles give to nobody.
  if ('unasked' in row) return expect(row.unasked).toMatch(/ here$/);
  const { [field as 'logins']: _, ...others } = row.allow ?? {};
  expect(may({ allow: row.allow }, row.action)).toBe(true);
  expect(may({ allow: others }, row.action)).toBe(false);
  const deny = { [field]: row.allow?.[field as 'logins'] };
  return expect(may({ allow: row.allow, deny }, row.action)).toBe(false);
});

test('the parts of a rule decide, or are refused by name', () => {
  const rule = { resources: ['session'], verbs: ['read'], where: 'equals(session.login, "root")' } as never;
  const login = (name: string) => reading({ login: name });
  expect(may({ allow: { rules: [rule] } }, login('ann'))).toBe(false);
  const text = (rules: object[]) =>
    JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'walked' }, spec: { allow: { rules } } });
  expect(() => parseRole(text([{ resources: ['session'], verbs: ['read'], actions: ['log("x")'] }]))).toThrow(
    'actions',
  );
  expect(Object.keys(roleRule.shape).sort()).toEqual(['actions', 'resources', 'verbs', 'where']);
});

describe('what is refused', () => {
  let gateway: IdentityGateway;
  let admin: TestBrowser;
  beforeAll(async () => {
    gateway = await startIdentityGateway();
    await gateway.addUser('admin', { roles: ['editor'] });
    admin = await gateway.signedIn('admin');
  });
  afterAll(() => gateway.close());
  const refused = Object.entries(OPTIONS).flatMap(([name, outcome]) =>
    'refused' in outcome ? outcome.refused.map((value): [string, unknown] => [name, value]) : [],
  );

  test.each(refused)('%s is refused when it is saved and when it is applied', async (name, value) => {
    const content = withOption(name, value);
    const option = name.replace(/ \(.*$/, '');

    await expect(call(admin.send, roleRoutes.create, { body: { content } })).rejects.toThrow(option);
    const { items } = await call(admin.send, applyRoutes.apply, {
      params: { clusterId: 'localhost' },
      body: { documents: content, dryRun: false },
    } as never).catch((error: Error) => ({ items: [{ message: error.message }] }));
    expect(JSON.stringify(items)).toContain(option);
    expect(gateway.access.role('walked')).toBeUndefined();
  });
});

test('the form of the console offers nothing that is refused', () => {
  const text = readFileSync(resolve(SRC, '../../console/src/identity/roles/role-fields.ts'), 'utf8');
  const offered = [...text.matchAll(/option\(((?:'[a-z_]+'(?:, )?)+)\)/g)].map(([, names = '']) =>
    names.replaceAll("'", '').split(', ').join('.'),
  );

  expect(offered.length).toBeGreaterThan(8);
  expect(offered.filter((name) => !(name in OPTIONS) || 'refused' in OPTIONS[name]!)).toEqual([]);
});

test('a stored role that holds what is refused since then goes on for what else it says', () => {
  const content = withOption('create_host_user', true);

  expect(parseRole(content, 'stored').document.spec.options).toEqual({ create_host_user: true });
});
