import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { codeOf, enrolApp, type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';

const CLUSTER = { clusterId: 'localhost' };
const HOUR_S = 3_600;

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;

beforeAll(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  await makeRole(admin, 'dev', `{allow: {kubernetes_labels: {env: dev}, kubernetes_groups: [view]}}`);
  await makeRole(admin, 'careful', `{options: {require_session_mfa: true}}`);
  await makeRole(admin, 'never', `{deny: {kubernetes_labels: {env: dev}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  ann = await gateway.signedIn('ann');
  const body = { name: 'prod', server: 'https://10.0.0.1:6443', labels: { env: 'dev' } };
  await call(admin.send, kubeRoutes.add, { params: CLUSTER, body });
});
afterAll(() => gateway?.close());

const give = (send: Send, body: { factor?: { code: string } } = {}, name = 'prod') =>
  call(send, kubePassRoutes.give, { params: { ...CLUSTER, name }, body });
const rowOf = (token: string) =>
  gateway.storage.db.selectFrom('kube_pass').selectAll().where('hash', '=', hashToken(token)).executeTakeFirst();
const given = async () => (await gateway.events()).filter(({ code }) => code === 'GH385I');
const scripted = async (by: TestBrowser, scope: 'all' | 'read'): Promise<Send> => {
  const { token } = await call(by.send, apiTokenRoutes.create, { body: { name: `ci-${scope}`, scope } });
  return sendTo(gateway.app, { authorization: `Bearer ${token}` });
};

test('who may connect gets a pass of their own sign-in, and the log tells of it without the pass', async () => {
  const before = await given();

  const { token, expires, seconds } = await give(ann.send);

  const row = await rowOf(token);
  expect(row).toMatchObject({ user: 'ann', name: 'prod', factor_proven: 0, expires: Date.parse(expires) });
  expect(seconds).toBe(HOUR_S);
  const [event, ...more] = (await given()).slice(before.length);
  expect(more).toEqual([]);
  expect(event).toMatchObject({ user: 'ann', sign_in: row?.sign_in, data: { name: 'prod', expires } });
  expect(JSON.stringify(await gateway.events())).not.toContain(token);
});

test('a token for scripts gets one, unless it may only read', async () => {
  const { token } = await give(await scripted(ann, 'all'));
  expect(await rowOf(token)).toMatchObject({ user: 'ann' });

  await expect(give(await scripted(ann, 'read'))).rejects.toMatchObject({ code: 'denied' });
});

test('who may not connect gets none, and a cluster that is hidden looks like one that is not there', async () => {
  await gateway.addUser('bob', { roles: ['dev', 'never'] });
  const bob = await gateway.signedIn('bob');
  const [hidden, absent] = await Promise.all(
    ['prod', 'nowhere'].map((name) => give(bob.send, {}, name).catch((error: Error) => error.message)),
  );

  expect(hidden).toBe(`${absent}`.replace('nowhere', 'prod'));
});

test('where a role asks for a second factor, only a proven one gives a pass, and the pass says so', async () => {
  await gateway.addUser('cas', { roles: ['dev', 'careful'] });
  const cas = await gateway.signedIn('cas');
  const secret = await enrolApp(gateway, cas);

  await expect(give(cas.send)).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(give(cas.send, { factor: { code: '000000' } })).rejects.toMatchObject({ code: 'bad_request' });
  const { token } = await give(cas.send, { factor: { code: codeOf(secret, gateway.clock.now) } });

  expect(await rowOf(token)).toMatchObject({ user: 'cas', factor_proven: 1 });
});

test('with a cluster its passes are gone, also where one of the same name is entered again', async () => {
  const body = { name: 'short', server: 'https://10.0.0.1:6443', labels: { env: 'dev' } };
  await call(admin.send, kubeRoutes.add, { params: CLUSTER, body });
  const { token } = await give(ann.send, {}, 'short');

  await call(admin.send, kubeRoutes.remove, { params: { ...CLUSTER, name: 'short' } });
  await call(admin.send, kubeRoutes.add, { params: CLUSTER, body });

  expect(await rowOf(token)).toBeUndefined();
});
