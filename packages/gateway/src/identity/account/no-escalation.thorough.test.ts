import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call, type Send } from '@gatehouse/contract/wire/client';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import type { Action } from '../../access/action.ts';
import { requiredJoins, sessionOptions } from '../../access/session-options.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { limitToScope } from '../stores/token-scope.ts';
import { findUser, setPasswordHash, updateUser } from '../stores/user-store.ts';

/** More runs find more: set PROPERTY_RUNS when escalation itself is being changed. */
const RUNS = {
  numRuns: Number(process.env.PROPERTY_RUNS ?? 40),
  seed: Number(process.env.PROPERTY_SEED ?? 15),
};

let gateway: IdentityGateway;
let admin: Send;
let round = 0;
let entered = 0;
beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = (await gateway.signedIn('admin')).send;
});
afterAll(() => gateway.close());

/** Parts that roles are put together from; `P` is the prefix of the round. */
const ALLOWS = [
  "{logins: ['{{internal.logins}}'], node_labels: {'*': '*'}}",
  '{logins: [ann], node_labels: {env: dev}}',
  "{rules: [{resources: [user, lock], verbs: ['*']}]}",
  `{rules: [{resources: [user], verbs: ['*'], where: 'has_prefix(resource.metadata.name, "P-v")'}]}`,
  '{rules: [{resources: [role], verbs: [create, list, read, delete]}]}',
  `{rules: [{resources: [user], verbs: [list], where: 'contains(user.spec.traits["logins"], "root")'}]}`,
  `{rules: [{resources: [event], verbs: [list], where: '!contains(user.spec.roles, "P-r0")'}]}`,
  "{join_sessions: [{name: j, roles: ['*'], kinds: [ssh], modes: ['*']}]}",
  '{}',
];
const DENIES = [
  '{}',
  '{}',
  '{}',
  '{node_labels: {env: prod}}',
  '{logins: [root]}',
  "{logins: ['{{internal.db_users}}']}",
  '{rules: [{resources: [event], verbs: [list]}]}',
];
const OPTIONS = ['{}', '{}', '{require_session_mfa: true}', '{max_session_ttl: 1h}', '{ssh_file_copy: false}'];
const REQUIRES = [
  '',
  '',
  '',
  `require_session_join: [{name: two, filter: 'contains(user.spec.roles, "P-r1")', kinds: [ssh], modes: [moderator], count: 1}]`,
];

const roleSpec = fc.record({
  allow: fc.constantFrom(...ALLOWS),
  deny: fc.constantFrom(...DENIES),
  options: fc.constantFrom(...OPTIONS),
  requires: fc.constantFrom(...REQUIRES),
});
const held = fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
const traits = fc.record(
  {
    logins: fc.uniqueArray(fc.constantFrom('root', 'ann'), { maxLength: 2 }),
    databaseUsers: fc.uniqueArray(fc.constantFrom('root'), { maxLength: 1 }),
  },
  { requiredKeys: [] },
);
const person = fc.record({ held, traits });
/** 0 and 1 are there from the beginning; the others may be made. */
const whom = fc.integer({ min: 0, max: 4 });
const step = fc.record({
  by: fc.nat({ max: 3 }),
  what: fc.constantFrom(
    'invite',
    'invite',
    'create',
    'update',
    'apply',
    'reset',
    'self',
    'lock',
    'lift',
    'role',
    'unrole',
  ),
  whom,
  held,
  traits,
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const world = fc.record({
  roles: fc.tuple(roleSpec, roleSpec, roleSpec, roleSpec),
  // Whoever holds nothing gives nothing: it is those who hold much that must be watched.
  actor: fc.record({ held: fc.constant<number[]>([0, 1, 2, 3]), traits }),
  asToken: fc.boolean(),
  victims: fc.tuple(person, person),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const node = (env: string) => ({ name: `n-${env}`, labels: { env } });
const PROBES: readonly Action[] = [
  ...['dev', 'prod'].flatMap((env) =>
    ['root', 'ann'].map((login) => ({ type: 'connect', kind: 'node', login, resource: node(env) }) as const),
  ),
  ...(['user', 'lock', 'role', 'event'] as const).flatMap((resource) =>
    (['list', 'create', 'update', 'delete'] as const).map(
      (verb) => ({ type: 'verb', resource, verb, object: { kind: resource, name: 'somebody' } }) as const,
    ),
  ),
  ...(['peer', 'moderator'] as const).map(
    (mode) => ({ type: 'join', session: { kind: 'ssh', ownerRoles: ['x'] }, mode }) as const,
  ),
];

/** What somebody can do, and how freely: the words of everything that is more when it is there. */
function freedom(actor: Actor): Set<string> {
  const { access } = gateway;
  const may = PROBES.filter((probe) => access.decide(actor, probe).allowed).map((probe) => JSON.stringify(probe));
  if (!may.some((probe) => probe.includes('"connect"'))) return new Set(may);
  const own = access.of(actor);
  const { requireMfa, maxSessionMs, fileCopy } = sessionOptions(own);
  return new Set([
    ...may,
    ...(requireMfa ? [] : ['without a second factor']),
    ...(maxSessionMs === undefined ? ['without end'] : []),
    ...(fileCopy ? ['with files'] : []),
    ...(requiredJoins(own, 'ssh').length === 0 ? ['alone'] : []),
  ]);
}

function actorOf(username: string, roles: readonly string[], held: Record<string, readonly string[]>): Actor {
  const subject = { username, roles, traits: held };
  const acl = gateway.access.aclOf(subject);
  return { ...subject, signInId: '', signInKind: 'browser', authType: 'local', acl };
}

async function play({ roles, actor, asToken, victims, steps }: World): Promise<string[]> {
  round += 1;
  const prefix = `p${round}`;
  const roleNames = (numbers: readonly number[]) =>
    numbers.map((number) => (number === 4 ? `${prefix}-adm` : `${prefix}-r${number}`));
  const texts = [
    ...roles.map(({ allow, deny, options, requires }, index) => {
      const withJoin = requires === '' ? allow : allow.replace(/\}$/, `${allow === '{}' ? '' : ', '}${requires}}`);
      return [`${prefix}-r${index}`, `{allow: ${withJoin}, deny: ${deny}, options: ${options}}`] as const;
    }),
    [`${prefix}-adm`, "{allow: {rules: [{resources: [user, lock], verbs: ['*']}]}}"] as const,
  ];
  for (const [name, spec] of texts) {
    const content = `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec.replaceAll('P-', `${prefix}-`)}\n`;
    await call(admin, roleRoutes.create, { body: { content } });
  }
  const put = async (name: string, { held: numbers, traits: given }: World['actor'], more: readonly string[] = []) => {
    const names = [...new Set([...roleNames(numbers), ...more])];
    await gateway.addUser(name, { roles: names });
    const stored = given as Record<string, string[]>;
    await gateway.storage.db.transaction().execute((tx) => updateUser(tx, name, { roles: names, traits: stored }));
    return actorOf(name, names, stored);
  };
  const nameOf = (number: number) => `${prefix}-v${number}`;
  for (const [index, victim] of victims.entries()) await put(nameOf(index), victim);
  const owner = await put(`${prefix}-actor`, actor, [`${prefix}-adm`]);
  const browser = await enter(owner.username);
  const scope = { users: ['list', 'read', 'create', 'edit'] as const };
  let first: Send = browser.send;
  let base = owner;
  if (asToken) {
    const made = await call(first, apiTokenRoutes.create, { body: { name: 't', scope: { users: [...scope.users] } } });
    first = sendTo(gateway.app, { authorization: `Bearer ${made.token}` });
    base = { ...owner, acl: limitToScope(owner.acl, { users: [...scope.users] }), isNarrowed: 'names' };
  }
  const before = freedom(base);
  const hands: Send[] = [first];
  const controlled = new Set<string>(asToken ? [] : [owner.username]);
  const take = async (name: string) => {
    controlled.add(name);
    const hash = await gateway.passwords.hash(PASSWORD);
    await gateway.storage.db.transaction().execute(async (tx) => {
      await setPasswordHash(tx, name, hash);
      await publish(tx, { topic: 'user', id: name });
    });
    await gateway.settled();
    const taken = await enter(name).catch(() => undefined);
    if (taken) hands.push(taken.send);
  };
  const done: string[] = [];
  for (const each of steps) {
    const worked = await attempt(each, { prefix, hands, roleNames, nameOf, take, self: owner.username });
    if (worked) done.push(`${each.what} ${nameOf(each.whom)} [${roleNames(each.held)}] ${JSON.stringify(each.traits)}`);
  }
  await gateway.settled();
  for (const name of controlled) {
    const user = await findUser(gateway.storage.db, name);
    if (!user) continue;
    const more = [...freedom(actorOf(name, user.roles, user.traits))].filter((word) => !before.has(word));
    if (more.length > 0) return [`${name} could: ${more.join(', ')}`, ...done];
  }
  return [];
}

/** From an address of its own: one that signs in too often is slowed down. */
async function enter(name: string) {
  entered += 1;
  const browser = gateway.browser({ address: `10.0.${entered >> 8}.${entered & 255}` });
  await browser.signIn(name, PASSWORD);
  return browser;
}

interface Hands {
  prefix: string;
  hands: readonly Send[];
  self: string;
  roleNames(numbers: readonly number[]): string[];
  nameOf(number: number): string;
  take(name: string): Promise<void>;
}

async function attempt(each: Step, { prefix, hands, self, roleNames, nameOf, take }: Hands): Promise<boolean> {
  const send = hands[each.by % hands.length]!;
  const name = nameOf(each.whom);
  const roles = roleNames(each.held.length === 0 ? [0] : each.held);
  const given = each.traits as Record<string, string[]>;
  const params = { clusterId: 'localhost' };
  try {
    switch (each.what) {
      case 'invite':
        await call(send, userRoutes.invite, { body: { name, roles, traits: given } });
        await take(name);
        break;
      case 'create':
        await call(send, userRecordRoutes.create, { body: { name, roles, traits: given } });
        break;
      case 'update':
        await call(send, userRecordRoutes.update, { body: { name, roles, traits: given } });
        break;
      case 'self':
        await call(send, userRecordRoutes.update, { body: { name: self, roles, traits: given } });
        break;
      case 'apply': {
        const spec = JSON.stringify({ roles, traits: { logins: given.logins ?? [] } });
        const documents = `kind: user\nversion: v2\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
        await call(send, applyRoutes.apply, { params, body: { documents, dryRun: false } });
        break;
      }
      case 'reset':
        await call(send, passwordRoutes.createToken, { body: { name } });
        await take(name);
        break;
      case 'lock':
        await call(send, lockRoutes.create, { params, body: { targets: { user: name }, message: '' } });
        break;
      case 'lift': {
        const [lock] = await call(send, lockRoutes.list, { params });
        if (lock) await call(send, lockRoutes.remove, { params: { ...params, name: lock.name } });
        break;
      }
      case 'role': {
        const content = `kind: role\nversion: v6\nmetadata: {name: ${prefix}-new}\nspec: {allow: {logins: [root], node_labels: {'*': '*'}}}\n`;
        await call(send, roleRoutes.create, { body: { content } });
        break;
      }
      case 'unrole':
        await call(send, roleRoutes.remove, { params: { name: roles[0]! } });
        break;
      default:
        return each.what satisfies never;
    }
    return true;
  } catch {
    return false;
  }
}

test('no sequence of calls lets somebody, or anybody they made or reset, do what they could not', async () => {
  let worked = 0;
  await fc.assert(
    fc.asyncProperty(world, async (drawn) => {
      const told = await play(drawn);
      worked += 1;
      expect(told, told.join('\n  ')).toEqual([]);
    }),
    RUNS,
  );
  expect(worked).toBeGreaterThanOrEqual(RUNS.numRuns);
}, 120_000);
