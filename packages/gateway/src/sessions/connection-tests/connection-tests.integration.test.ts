/** Connections to a real sshd, tried step by step, and everything that can be wrong with them. */

import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  failure,
  params,
  type ServerWorld,
  startServerWorld,
  summary,
} from '../../../testing/connection-tests/server-world.ts';
import { codeOf, enrolApp } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import { fingerprint, parsePublicKey } from '../../platform/crypto/ssh/public-key.ts';

const DAY = 86_400_000;
const ALL_WELL = [
  'access SUCCESS RBAC_NODE',
  'access SUCCESS RBAC_PRINCIPAL',
  'reach SUCCESS CONNECTIVITY',
  'tcp SUCCESS CONNECTIVITY',
  'ssh SUCCESS CONNECTIVITY',
  'login SUCCESS NODE_PRINCIPAL',
];
const fingerprintOf = (line: string) => fingerprint(parsePublicKey(line).blob);

let world: ServerWorld;
beforeEach(async () => {
  world = await startServerWorld();
  await world.trustGateway();
});
afterEach(() => world.close());

const read = (as: ServerWorld['ann'], id: string) =>
  call(as.send, diagnosticRoutes.read, { params: { ...params, id } });

test('a server is asked for its host key, pinned, trusted, and then every step goes well', async () => {
  const { sshd, ann, logins } = world;
  const added = await world.add({ name: 'web-1' });

  const tested = await world.test(ann, 'web-1', logins[0]);

  expect(added.hostFingerprints).toEqual([fingerprintOf(sshd.hostKey())]);
  expect(summary(tested)).toEqual(ALL_WELL);
  expect(tested).toMatchObject({ success: true, message: `'${logins[0]}' can sign in to 'web-1'` });
  // Written by another process of the server than the one that answers.
  const accepted = new RegExp(`Accepted publickey for ${logins[0]} .* ID user=ann session=${tested.id}`);
  await expect.poll(() => sshd.log()).toMatch(accepted);
  expect(await read(ann, tested.id)).toEqual(tested);
  expect((await world.gateway.events()).at(-1)).toMatchObject({
    code: 'GH215I',
    user: 'ann',
    data: { login: logins[0], name: 'web-1', server_addr: sshd.addr, success: true },
  });
});

test('what was tried is for who tried it, and for a day', async () => {
  await world.add({ name: 'web-1' });
  const { id } = await world.test(world.ann, 'web-1', world.logins[0]);

  await expect(read(world.admin, id)).rejects.toMatchObject({ status: 404 });
  world.gateway.clock.advance(DAY);
  const later = await world.gateway.signedIn('ann');
  await expect(read(later, id)).rejects.toMatchObject({ status: 404 });
});

const earlier = async (as: ServerWorld['ann'], resource_name = 'web-1', resource_kind = 'node') =>
  (await call(as.send, diagnosticRoutes.earlier, { params, query: { resource_kind, resource_name } })).items;

test('what somebody tried of a server is listed for them alone, by whatever it is called, the newest first', async () => {
  const { ann, admin, logins } = world;
  const unknown = await world.test(ann, 'web-1', logins[0]);
  const { node } = await world.add({ name: 'web-1' });
  world.gateway.clock.advance(1_000);
  const worked = await world.test(ann, node.id, logins[0]);
  world.gateway.clock.advance(1_000);
  const refused = await world.test(ann, 'web-1', 'stranger');
  await world.test(admin, 'web-1', 'root').catch(() => undefined);

  const listed = await earlier(ann);

  expect(listed.map(({ id }) => id)).toEqual([refused.id, worked.id, unknown.id]);
  expect(listed[0]).toEqual({
    id: refused.id,
    at: new Date(world.gateway.clock.now).toISOString(),
    success: false,
    message: refused.message,
    step: 'access',
  });
  expect(listed[1]).toMatchObject({ success: true, message: worked.message });
  expect(listed[1]).not.toHaveProperty('step');
  expect((await earlier(admin)).map(({ id }) => id)).not.toContain(worked.id);
  expect(await earlier(ann, 'another')).toEqual([]);
  expect(await earlier(ann, 'web-1', 'app')).toEqual([]);
  expect(await earlier(ann, 'web-1', 'nothing')).toEqual([]);
});

describe('host keys', () => {
  test('that changed are refused, told, audited and accepted by an administrator', async () => {
    const { sshd, ann, admin, logins } = world;
    await world.add({ name: 'web-1' });
    const was = fingerprintOf(sshd.hostKey());
    await sshd.replaceHostKeys();
    const is = fingerprintOf(sshd.hostKey());

    const refused = await world.test(ann, 'web-1', logins[0]);

    expect(summary(refused).at(-1)).toBe('ssh FAILED CONNECTIVITY');
    expect(failure(refused)).toEqual({
      step: 'ssh',
      error: `the host key of 'web-1' at ${sshd.addr} is not the pinned one: it shows ${is} (ssh-ed25519), expected was ${was}`,
      next: expect.stringContaining(`gatehouse nodes trust-host-key web-1 --fingerprint ${is}`),
    });
    expect((await world.gateway.events()).filter(({ code }) => code === 'GH213W')).toMatchObject([
      { user: 'ann', data: { name: 'web-1', fingerprint: is } },
    ]);

    const node = { ...params, id: 'web-1' };
    const keys = await call(admin.send, nodeRoutes.readHostKeys, { params: node });
    expect(keys).toMatchObject({ pinned: [{ fingerprint: was }], shown: [{ fingerprint: is }] });
    const hostKeys = keys.shown.map(({ publicKey }) => publicKey);
    await call(admin.send, nodeRoutes.setHostKeys, { params: node, body: { hostKeys } });
    expect((await world.test(ann, 'web-1', logins[0])).success).toBe(true);
  });

  test('are compared with a fingerprint that is given when a server is added', async () => {
    const hostFingerprint = fingerprintOf(world.sshd.hostKey());

    const wrong = world.add({ name: 'web-1', hostFingerprint: `SHA256:${'A'.repeat(43)}` });
    await expect(wrong).rejects.toMatchObject({ status: 409, message: expect.stringContaining(hostFingerprint) });
    expect((await world.add({ name: 'web-1', hostFingerprint })).hostFingerprints).toEqual([hostFingerprint]);
  });

  test('cannot be had where nothing speaks SSH', async () => {
    const port = await freePort();

    await expect(world.add({ name: 'web-1', addr: `127.0.0.1:${port}` })).rejects.toMatchObject({
      status: 504,
      message: `127.0.0.1:${port} refuses the connection: nothing listens there`,
    });
  });
});

describe('the way there', () => {
  test('ends where nothing listens, or where nobody knows the name', async () => {
    const [port, hostKeys] = [await freePort(), [world.sshd.hostKey()]];
    await world.add({ name: 'dead', addr: `127.0.0.1:${port}`, hostKeys });
    await call(world.admin.send, nodeRoutes.add, {
      params,
      body: { name: 'nameless', addr: 'nowhere.invalid:22', labels: { env: 'dev' }, hostKeys },
    });

    expect(failure(await world.test(world.ann, 'dead', world.logins[0]))).toMatchObject({
      step: 'tcp',
      error: expect.stringContaining('nothing listens there'),
      next: 'start the server there, or correct the port',
    });
    expect(failure(await world.test(world.ann, 'nameless', world.logins[0]))).toMatchObject({
      step: 'reach',
      error: "the name 'nowhere.invalid' cannot be resolved by the gateway",
    });
  });
});

describe('the login', () => {
  test('fails where the server does not trust the gateway', async () => {
    await world.add({ name: 'web-1' });
    world.sshd.trust([world.sshd.hostKey()]);

    expect(failure(await world.test(world.ann, 'web-1', world.logins[0]))).toMatchObject({
      step: 'login',
      error: expect.stringContaining('it does not trust the authority SHA256:'),
      next: expect.stringContaining('gatehouse ca export'),
    });
  });

  test('fails for an account that is not there, and says that trust is not the matter', async () => {
    await world.add({ name: 'web-1' });

    expect(failure(await world.test(world.ann, 'web-1', 'ghost'))).toMatchObject({
      step: 'login',
      error: "the server 'web-1' trusts the gateway but does not let 'ghost' in",
      next: expect.stringContaining("make the account 'ghost'"),
    });
    expect(world.sshd.log()).not.toContain('Accepted publickey');
  });

  test('goes on with the leaving authority until the overlap is over, and then with the new one', async () => {
    const { gateway, admin, ann, logins } = world;
    await world.add({ name: 'web-1' });
    await call(admin.send, sshAuthorityRoutes.rotate, { body: { overlapSeconds: 20 } });
    const tried = async () => (await world.test(ann, 'web-1', logins[0])).success;

    expect(await tried()).toBe(true);
    // Not so far that sshd, which looks at its own clock, would find the certificates too new.
    gateway.clock.advance(20_000);
    expect(await tried()).toBe(false);
    await world.trustGateway();
    expect(await tried()).toBe(true);
  });

  test('is bound to the address the server must see it come from', async () => {
    await world.add({ name: 'here', sourceAddresses: ['127.0.0.1'] });
    await world.add({ name: 'elsewhere', sourceAddresses: ['10.0.0.0/8'] });

    expect((await world.test(world.ann, 'here', world.logins[0])).success).toBe(true);
    expect(failure(await world.test(world.ann, 'elsewhere', world.logins[0])).step).toBe('login');
  });
});

describe('access', () => {
  test('ends a test before anything is dialled', async () => {
    const { ann, sshd } = world;
    await world.add({ name: 'prod-1', labels: { env: 'prod' } });
    await world.add({ name: 'web-1' });
    // Told before the first word of SSH; what sshd says of the connections that asked for host keys may come later.
    const dialled = () => sshd.log().match(/^Connection from /gm)?.length ?? 0;
    const before = dialled();

    const unseen = await world.test(ann, 'prod-1', world.logins[0]);
    const unknown = await world.test(ann, 'prod-2', world.logins[0]);
    const denied = await world.test(ann, 'web-1', 'root');

    expect(summary(unseen)).toEqual(['access FAILED RBAC_NODE']);
    expect(failure(unseen).error).toBe("server 'prod-1' not found");
    expect(failure(unknown).error).toBe("server 'prod-2' not found");
    expect(failure(denied)).toMatchObject({
      step: 'access',
      error: "none of your roles lets you sign in to 'web-1' as 'root'",
      next: expect.stringContaining('gatehouse access explain ann web-1 --login root'),
    });
    expect(dialled()).toBe(before);
    expect((await world.gateway.events()).filter(({ code }) => code === 'GH215I')).toHaveLength(3);
  });

  test('is denied by a lock, which is told', async () => {
    await world.add({ name: 'web-1' });
    const body = { targets: { node: 'web-1' }, message: 'maintenance', force: true };
    await call(world.admin.send, lockRoutes.create, { params, body });

    expect(failure(await world.test(world.ann, 'web-1', world.logins[0]))).toMatchObject({
      step: 'access',
      error: "the node 'web-1' is locked",
    });
  });

  test('is not given to tokens that are narrower than their user', async () => {
    await world.add({ name: 'web-1' });
    const token = async (scope: 'read' | 'all' | Record<string, string[]>) => {
      const body = { name: `t${JSON.stringify(scope).length}`, scope, ttlSeconds: 3600 } as never;
      const made = await call(world.ann.send, apiTokenRoutes.create, { body });
      return { send: sendTo(world.gateway.app, { authorization: `Bearer ${made.token}` }) } as ServerWorld['ann'];
    };

    await expect(world.test(await token('read'), 'web-1', world.logins[0])).rejects.toMatchObject({ status: 403 });
    const narrow = await token({ connectionDiagnostic: ['create'], nodes: ['list'] });
    expect(failure(await world.test(narrow, 'web-1', world.logins[0]))).toMatchObject({
      step: 'access',
      error: 'this token may not connect anywhere',
    });
    expect((await world.test(await token('all'), 'web-1', world.logins[0])).success).toBe(true);
  });

  test('takes rights on connection tests, and what is no kind cannot be tested', async () => {
    await world.gateway.addUser('bob', { roles: ['access'] });
    const bob = await world.gateway.signedIn('bob');

    await expect(world.test(bob, 'web-1', 'root')).rejects.toMatchObject({ status: 403 });
    await expect(world.test(world.ann, 'x', 'root', { resource_kind: 'printer' })).rejects.toMatchObject({
      status: 501,
    });
    await expect(world.test(world.ann, 'x', '')).rejects.toMatchObject({ status: 400 });
  });
});

describe('what is asked before', () => {
  test('whether there is anything to reach counts only what is seen', async () => {
    const has = async (as: ServerWorld['ann']) => (await call(as.send, diagnosticRoutes.check, { params })).hasResource;

    expect(await has(world.ann)).toBe(false);
    await world.add({ name: 'prod-1', labels: { env: 'prod' } });
    expect(await has(world.ann)).toBe(false);
    await world.add({ name: 'web-1', hostKeys: [world.sshd.hostKey()] });
    expect(await has(world.ann)).toBe(true);
  });

  test('whether a second factor is needed does not tell of what is not seen', async () => {
    const asks = (as: ServerWorld['ann'], node_name: string) =>
      call(as.send, diagnosticRoutes.mfaRequired, { params, body: { node: { node_name, login: 'root' } } });
    await world.add({ name: 'prod-1', labels: { env: 'prod' } });
    const { node } = await world.add({ name: 'web-1' });

    for (const name of ['web-1', node.id]) expect(await asks(world.ann, name)).toEqual({ required: false });
    await expect(asks(world.ann, 'prod-1')).rejects.toMatchObject({ status: 404 });
    await expect(asks(world.ann, 'prod-2')).rejects.toMatchObject({ status: 404 });
    const kube = { kube: { cluster_name: 'k' } };
    await expect(call(world.ann.send, diagnosticRoutes.mfaRequired, { params, body: kube })).rejects.toMatchObject({
      status: 404,
    });
  });
});

test('a role that asks for a second factor at every connection gets one, once per code', async () => {
  await world.close();
  world = await startServerWorld({ secondFactor: 'optional' });
  const { gateway, ann, logins } = world;
  await world.trustGateway();
  await world.add({ name: 'web-1' });
  const secret = await enrolApp(gateway, ann);
  await world.makeRole('careful', '{options: {require_session_mfa: true}}');
  await gateway.storage.db.updateTable('user').set({ roles: '["dev","careful"]' }).where('name', '=', 'ann').execute();
  const again = await gateway.signedIn('ann').catch(() => undefined);
  const signedIn = again ?? gateway.browser();
  if (!again) await signedIn.signIn('ann', 'correct horse', codeOf(secret, gateway.clock.now));
  gateway.clock.advance(30_000);
  const body = { node: { node_name: 'web-1', login: logins[0] } };
  expect(await call(signedIn.send, diagnosticRoutes.mfaRequired, { params, body })).toEqual({ required: true });

  const without = await world.test(signedIn, 'web-1', logins[0]);
  const totp_code = codeOf(secret, gateway.clock.now);
  const withCode = await world.test(signedIn, 'web-1', logins[0], { mfa_response: { totp_code } });
  const usedTwice = await world.test(signedIn, 'web-1', logins[0], { mfa_response: { totp_code } });

  expect(failure(without)).toMatchObject({
    step: 'access',
    error: expect.stringContaining('asks for a second factor'),
  });
  expect(withCode.success).toBe(true);
  expect(failure(usedTwice)).toMatchObject({ step: 'access', error: expect.stringContaining('was used already') });
});
