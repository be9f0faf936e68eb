import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { explainRoutes } from '@gatehouse/contract/access/explain/explain';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { lockOutRoutes } from '@gatehouse/contract/identity/lock-outs';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import { updateUser } from '../stores/user-store.ts';

let gateway: IdentityGateway;
let admin: Send;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = (await gateway.signedIn('admin')).send;
});
afterEach(() => gateway.close());

const CLUSTER = { clusterId: 'localhost' };

async function addRole(name: string, spec: string): Promise<void> {
  const content = `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
  await call(admin, roleRoutes.create, { body: { content } });
}

async function add(name: string, roles: string[], traits: Record<string, string[]> = {}): Promise<Send> {
  await gateway.addUser(name, { roles });
  await gateway.storage.db.transaction().execute(async (tx) => {
    await updateUser(tx, name, { roles, traits });
    await publish(tx, { topic: 'user', id: name });
  });
  await gateway.settled();
  return (await gateway.signedIn(name)).send;
}

async function tokenOf(send: Send, scope: object): Promise<Send> {
  const { token } = await call(send, apiTokenRoutes.create, { body: { name: 'script', scope, ttlSeconds: 3600 } });
  return sendTo(gateway.app, { authorization: `Bearer ${token}` });
}

const invite = (send: Send, name: string, roles: string[], traits = {}) =>
  call(send, userRoutes.invite, { body: { name, roles, traits } });
const update = (send: Send, name: string, roles: string[], traits = {}) =>
  call(send, userRecordRoutes.update, { body: { name, roles, traits } });
const reset = (send: Send, name: string) => call(send, passwordRoutes.createToken, { body: { name } });

const USER_ADMIN = '{allow: {rules: [{resources: [user], verbs: [list, read, update, create, delete]}]}}';
const NOT_FOUND = { status: 404 };
const DENIED = { status: 403 };

describe('a help desk whose condition leaves all but contractors out', () => {
  let hal: Send;
  beforeEach(async () => {
    await addRole(
      'helpdesk',
      `{allow: {rules: [{resources: [user], verbs: [list, read, update, create], where: 'has_prefix(resource.metadata.name, "contractor-")'}]}}`,
    );
    await add('root-ops', ['access'], { logins: ['root'] });
    await add('contractor-1', ['access'], { logins: ['hal'] });
    hal = await add('hal', ['access', 'helpdesk'], { logins: ['hal'] });
  });

  test('makes no link, reads no sign-ins, ends none and lifts no lock of others, in the words for nobody', async () => {
    const attempts: ((name: string) => Promise<unknown>)[] = [
      (name) => reset(hal, name),
      (username) => call(hal, signInsRoutes.listOfUser, { params: { username } }),
      (username) => call(hal, signInsRoutes.endAllOfUser, { params: { username } }),
      (username) => call(hal, signInsRoutes.endOfUser, { params: { username, id: 'x' } }),
      (name) => call(hal, lockOutRoutes.lift, { params: { name } }),
      (username) => call(hal, userRecordRoutes.get, { params: { username } }),
    ];
    for (const attempt of attempts) {
      const [hidden, absent] = await Promise.all(
        ['root-ops', 'root-opt'].map((name) => attempt(name).catch((error: unknown) => error)),
      );
      expect(hidden).toMatchObject(NOT_FOUND);
      expect(String(hidden)).toBe(String(absent).replaceAll('root-opt', 'root-ops'));
    }
    expect(await call(admin, signInsRoutes.listOfUser, { params: { username: 'root-ops' } })).toHaveLength(1);
  });

  test('invites nobody outside of it', async () => {
    await expect(invite(hal, 'mallory', ['access'], { logins: ['hal'] })).rejects.toMatchObject(DENIED);
    expect(await invite(hal, 'contractor-2', ['access'], { logins: ['hal'] })).toMatchObject({ name: 'contractor-2' });
  });

  test('sees only the lock-outs of those it knows', async () => {
    for (const name of ['root-ops', 'contractor-1'])
      for (let wrong = 0; wrong < 5; wrong += 1) {
        await gateway
          .browser()
          .signIn(name, 'wrong')
          .catch(() => undefined);
        gateway.clock.advance(1_000);
      }
    const names = async (send: Send) => (await call(send, lockOutRoutes.list, {})).map(({ name }) => name).sort();
    expect(await names(admin)).toEqual(['contractor-1', 'root-ops']);
    expect(await names(hal)).toEqual(['contractor-1']);
    await call(hal, lockOutRoutes.lift, { params: { name: 'contractor-1' } });
    expect(await names(admin)).toEqual(['root-ops']);
  });

  test('still helps those it may', async () => {
    expect(await reset(hal, 'contractor-1')).toMatchObject({ user: 'contractor-1' });
    expect(await call(hal, signInsRoutes.listOfUser, { params: { username: 'contractor-1' } })).toHaveLength(1);
  });
});

describe('who may edit every user but no role', () => {
  beforeEach(() => addRole('useradmin', USER_ADMIN));

  test('gets no link for somebody with a name on servers that is not theirs', async () => {
    await add('root-ops', ['access'], { logins: ['root'] });
    await add('peer', ['access'], { logins: ['uma'] });
    const uma = await add('uma', ['access', 'useradmin'], { logins: ['uma'] });
    await expect(reset(uma, 'root-ops')).rejects.toMatchObject({
      ...DENIED,
      message: expect.stringContaining('spec.allow.logins'),
    });
    expect(await reset(uma, 'peer')).toMatchObject({ user: 'peer' });
  });

  test.each([
    ['a denial', 'held', '{deny: {node_labels: {env: prod}}}', 'spec.deny.node_labels'],
    ['a denied name', 'held', '{deny: {logins: [root]}}', 'spec.deny.logins[0]'],
    ['a denied rule', 'held', '{deny: {rules: [{resources: [node], verbs: [list]}]}}', 'spec.deny.rules[0]'],
    ['a second factor', 'held', '{options: {require_session_mfa: true}}', 'spec.options.require_session_mfa'],
    ['an end', 'held', '{options: {max_session_ttl: 1h}}', 'spec.options.max_session_ttl'],
    ['a limit', 'held', '{options: {max_connections: 1}}', 'spec.options.max_connections'],
    ['a prohibition', 'held', '{options: {ssh_file_copy: false}}', 'spec.options.ssh_file_copy'],
    ['recording', 'held', '{options: {record_session: {default: strict}}}', 'spec.options.record_session'],
    [
      'a second person',
      'held',
      `{allow: {require_session_join: [{name: two, filter: 'contains(user.spec.roles, "auditor")', kinds: [ssh], modes: [moderator], count: 1}]}}`,
      'spec.allow.require_session_join',
    ],
  ])('who is held back by %s makes nobody, and not themselves, free of it', async (_, role, spec, clause) => {
    await addRole(role, spec);
    const uma = await add('uma', ['access', 'useradmin', role], { logins: ['uma'] });
    const refused = { ...DENIED, message: expect.stringContaining(clause) };
    await expect(invite(uma, 'second-self', ['access'], { logins: ['uma'] })).rejects.toMatchObject(refused);
    await expect(
      call(uma, userRecordRoutes.create, {
        body: { name: 'second-self', roles: ['access'], traits: { logins: ['uma'] } },
      }),
    ).rejects.toMatchObject(refused);
    await expect(update(uma, 'uma', ['access', 'useradmin'])).rejects.toMatchObject({
      ...DENIED,
      message: expect.stringContaining(`take away role '${role}'`),
    });
    const documents =
      'kind: user\nversion: v2\nmetadata: {name: second-self}\nspec: {roles: [access], traits: {logins: [uma]}}\n';
    await expect(
      call(uma, applyRoutes.apply, { params: CLUSTER, body: { documents, dryRun: false } }),
    ).rejects.toMatchObject(refused);
    // What is held back with them, or has nothing to do with it, is given.
    expect(await invite(uma, 'alike', ['access', role])).toMatchObject({ name: 'alike' });
    expect(await invite(uma, 'clerk', ['useradmin'])).toMatchObject({ name: 'clerk' });
    // Somebody who was never held back by it may not be had either.
    await add('free', ['access'], { logins: ['uma'] });
    await expect(reset(uma, 'free')).rejects.toMatchObject(refused);
    // An administrator is not kept from anything.
    await update(admin, 'uma', ['access', 'useradmin']);
  });

  test('is not their own second person by an account they made', async () => {
    const policy = `{name: two, filter: 'contains(user.spec.roles, "watcher")', kinds: [ssh], modes: [moderator], count: 1}`;
    await addRole('careful', `{allow: {require_session_join: [${policy}]}}`);
    await addRole('watcher', '{allow: {join_sessions: [{name: all, roles: ["*"], kinds: [ssh], modes: [moderator]}]}}');
    const uma = await add('uma', ['access', 'useradmin', 'careful', 'watcher'], { logins: ['uma'] });
    const refused = { ...DENIED, message: expect.stringContaining("the two people that role 'careful' asks for") };
    await expect(invite(uma, 'puppet', ['watcher'])).rejects.toMatchObject(refused);
    await expect(invite(uma, 'front', ['access', 'careful'], { logins: ['uma'] })).rejects.toMatchObject(refused);
    expect(await invite(uma, 'clerk', ['useradmin'])).toMatchObject({ name: 'clerk' });
  });

  test('makes nobody the second person of one more role, whatever they are that of already', async () => {
    const policy = (role: string) =>
      `{name: two, filter: 'contains(user.spec.roles, "${role}")', kinds: [ssh], modes: [moderator], count: 1}`;
    const joins = '{allow: {join_sessions: [{name: all, roles: ["*"], kinds: [ssh], modes: [moderator]}]}}';
    await addRole('small', `{allow: {require_session_join: [${policy('peer')}]}}`);
    await addRole('careful', `{allow: {require_session_join: [${policy('watcher')}]}}`);
    await addRole('peer', joins);
    await addRole('watcher', joins);
    await add('pat', ['peer']);
    const uma = await add('uma', ['access', 'useradmin', 'small', 'careful', 'peer', 'watcher'], { logins: ['uma'] });
    const refused = { ...DENIED, message: expect.stringContaining("the two people that role 'careful' asks for") };
    await expect(update(uma, 'pat', ['peer', 'watcher'])).rejects.toMatchObject(refused);
    expect(await update(uma, 'pat', ['peer', 'useradmin'])).toMatchObject({ roles: ['peer', 'useradmin'] });
  });

  test.each([
    ['all but their own', "{allow: {rules: [RULE, where: 'session.user != user.metadata.name'}]}}", 'pat'],
    [
      'all, and is denied their own',
      "{allow: {rules: [RULE}]}, deny: {rules: [RULE, where: 'session.user == user.metadata.name'}]}}",
      'pat',
    ],
    [
      'what begins with their name',
      "{allow: {rules: [RULE, where: 'has_prefix(session.user, user.metadata.name)'}]}}",
      'u',
    ],
  ])('who watches %s makes nobody who watches it for them', async (_, spec, name) => {
    await addRole('watching', spec.replaceAll('RULE', '{resources: [session], verbs: [list, read]'));
    const uma = await add('uma', ['useradmin', 'watching']);
    await expect(invite(uma, name, ['watching'])).rejects.toMatchObject(DENIED);
  });

  test('does not become a second person by what they take from themselves', async () => {
    const filter = '!contains(user.spec.roles, "dev")';
    const policy = `{name: two, filter: '${filter}', kinds: [ssh], modes: [moderator], count: 1}`;
    await addRole('careful', `{allow: {require_session_join: [${policy}]}}`);
    await addRole('dev', '{allow: {}}');
    await addRole('watcher', '{allow: {join_sessions: [{name: all, roles: ["*"], kinds: [ssh], modes: [moderator]}]}}');
    const uma = await add('uma', ['useradmin', 'dev', 'watcher']);
    const refused = { ...DENIED, message: expect.stringContaining("the second person that role 'careful' asks for") };
    await expect(update(uma, 'uma', ['useradmin', 'watcher'])).rejects.toMatchObject(refused);
    expect(await update(uma, 'uma', ['useradmin', 'dev'])).toMatchObject({ name: 'uma' });
  });

  test('gives a role they hold to somebody with other names, as long as that adds none', async () => {
    await add('bob', ['access'], { logins: ['bob'] });
    const uma = await add('uma', ['access', 'useradmin'], { logins: ['uma'] });
    expect(await update(uma, 'bob', ['access', 'useradmin'])).toMatchObject({ roles: ['access', 'useradmin'] });
    expect(await update(uma, 'bob', ['access'])).toMatchObject({ roles: ['access'] });
    await add('eve', ['useradmin'], { logins: ['eve'] });
    await expect(update(uma, 'eve', ['access', 'useradmin'])).rejects.toMatchObject(DENIED);
  });
});

describe('whoever may not list roles', () => {
  test('hears the same of a role that is there and of one that is not', async () => {
    await addRole('useradmin', USER_ADMIN);
    await addRole('secret', '{allow: {}}');
    await add('bob', ['useradmin']);
    const uma = await add('uma', ['useradmin']);
    const apply = (roles: string[]) => {
      const documents = `kind: user\nversion: v2\nmetadata: {name: bob}\nspec: {roles: [${roles.join(', ')}]}\n`;
      return call(uma, applyRoutes.apply, { params: CLUSTER, body: { documents, dryRun: true } });
    };
    const asked = [
      (roles: string[]) => invite(uma, 'new', roles),
      (roles: string[]) => call(uma, userRecordRoutes.create, { body: { name: 'new', roles } }),
      (roles: string[]) => update(uma, 'bob', roles),
      apply,
    ];
    for (const ask of asked) {
      const words = async (...roles: string[]) => {
        const refusal = (await ask(roles).catch((error: unknown) => error)) as Error & { status: number };
        return [refusal.status, refusal.message.replaceAll('absent', 'secret')];
      };
      expect(await words('absent')).toEqual(await words('secret'));
      expect(await words('absent', 'zzz')).toEqual(await words('secret', 'zzz'));
      expect((await words('absent')).join()).not.toContain('editor');
    }
  });

  test('is told of those who hold a role that is to be removed no more than they may know', async () => {
    await addRole('remover', '{allow: {rules: [{resources: [role], verbs: [delete]}]}}');
    await addRole('held', '{allow: {}}');
    await add('hidden-bob', ['held']);
    const rob = await add('rob', ['remover']);
    const refusal = call(rob, roleRoutes.remove, { params: { name: 'held' } });
    await expect(refusal).rejects.toMatchObject({
      code: 'conflict',
      message: "role 'held' is held by 1 that you may not know: take it from them first",
    });
  });
});

describe('a token that may do less than its owner', () => {
  test('gives no more than it may do itself', async () => {
    await addRole('clerk', '{allow: {rules: [{resources: [user], verbs: [create]}]}}');
    await update(admin, 'admin', ['editor', 'access', 'clerk']);
    await gateway.settled();
    const script = await tokenOf(admin, { users: ['create', 'edit'] });
    await expect(invite(script, 'pwned', ['editor', 'access'])).rejects.toMatchObject(DENIED);
    await expect(invite(script, 'pwned', ['access'])).rejects.toMatchObject(DENIED);
    await expect(reset(script, 'admin')).rejects.toMatchObject(DENIED);
    expect(await invite(script, 'helper', ['clerk'])).toMatchObject({ name: 'helper' });
  });

  test('does nothing that its scope cannot name', async () => {
    await gateway.addUser('ops', { roles: ['access'] });
    const script = await tokenOf(admin, { roles: ['create', 'list'], users: ['edit'] });
    const documents = 'kind: lock\nversion: v2\nmetadata: {name: x1}\nspec: {target: {user: ops}, message: hi}\n';
    await expect(
      call(script, applyRoutes.apply, { params: CLUSTER, body: { documents, dryRun: false } }),
    ).rejects.toMatchObject(DENIED);
    await expect(
      call(script, lockRoutes.create, { params: CLUSTER, body: { targets: { user: 'ops' }, message: '' } }),
    ).rejects.toMatchObject(DENIED);
    await expect(call(script, explainRoutes.reach, { params: CLUSTER, body: { user: 'admin' } })).rejects.toMatchObject(
      DENIED,
    );
  });

  test('is told of what it may list, not of all its owner reaches', async () => {
    const script = await tokenOf(admin, { roles: ['read'], users: ['read'] });
    const { counts } = await call(script, explainRoutes.reach, { params: CLUSTER, body: { user: 'admin' } });
    expect(Object.values(counts).every((count) => count === 0)).toBe(true);
  });
});

describe('locks', () => {
  beforeEach(() =>
    addRole(
      'locker',
      `{allow: {rules: [{resources: [lock], verbs: ['*']}, {resources: [user], verbs: [list, read, update], where: 'has_prefix(resource.metadata.name, "contractor-")'}]}}`,
    ),
  );
  const lock = (send: Send, targets: Record<string, string>) =>
    call(send, lockRoutes.create, { params: CLUSTER, body: { targets, message: '', force: true } });
  const lift = (send: Send, name: string) => call(send, lockRoutes.remove, { params: { ...CLUSTER, name } });

  test('on somebody out of reach are neither made, seen nor lifted, and tell nothing of who is there', async () => {
    await add('root-ops', ['access']);
    const len = await add('len', ['access', 'locker']);
    for (const user of ['root-ops', 'nobody']) await expect(lock(len, { user })).rejects.toMatchObject(NOT_FOUND);
    const { name } = await lock(admin, { user: 'root-ops' });
    expect(await call(len, lockRoutes.list, { params: CLUSTER })).toEqual([]);
    await expect(lift(len, name)).rejects.toMatchObject(NOT_FOUND);
    expect(await call(admin, lockRoutes.list, { params: CLUSTER })).toHaveLength(1);
  });

  test('that hold the caller back are lifted by who made them, or may edit roles', async () => {
    const len = await add('len', ['access', 'locker'], { logins: ['len'] });
    const { name } = await lock(admin, { node: 'db-1' });
    await expect(lift(len, name)).rejects.toMatchObject({ ...DENIED, message: expect.stringContaining('holds you') });
    const own = await lock(len, { node: 'db-2' });
    await lift(len, own.name);
    const officer = await add('officer', ['locker']);
    await lift(officer, name);
    expect(await call(admin, lockRoutes.list, { params: CLUSTER })).toEqual([]);
  });
});
