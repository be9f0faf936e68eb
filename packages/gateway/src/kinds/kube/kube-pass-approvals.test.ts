/** Second factors for passes by a link, as hostile programs and people try them. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
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
const PENDING = { code: 'mfa_required', fields: { state: 'pending' } };
const OVER = { code: 'denied', message: 'it was denied in the browser, or is over' };

interface Person {
  browser: TestBrowser;
  secret: string;
  /** A command line of theirs. */
  program: Send;
}

let gateway: IdentityGateway;
let ann: Person;
let tokens = 0;
beforeAll(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  const admin = await gateway.signedIn('admin');
  await makeRole(admin, 'dev', '{allow: {kubernetes_labels: {env: dev}, kubernetes_groups: [view]}}');
  await makeRole(admin, 'careful', '{options: {require_session_mfa: true}}');
  for (const name of ['prod', 'stage']) {
    const body = { name, server: 'https://10.0.0.1:6443', labels: { env: 'dev' } };
    await call(admin.send, kubeRoutes.add, { params: CLUSTER, body });
  }
  ann = await somebody('ann');
});
afterAll(() => gateway?.close());

async function programOf(browser: TestBrowser): Promise<Send> {
  tokens += 1;
  const { token } = await call(browser.send, apiTokenRoutes.create, { body: { name: `ci-${tokens}`, scope: 'all' } });
  return sendTo(gateway.app, { authorization: `Bearer ${token}` });
}

async function somebody(name: string): Promise<Person> {
  await gateway.addUser(name, { roles: ['dev', 'careful'] });
  const browser = await gateway.signedIn(name);
  const program = await programOf(browser);
  return { browser, program, secret: await enrolApp(gateway, browser) };
}

const ask = (send: Send, name = 'prod') => call(send, kubePassRoutes.ask, { params: { ...CLUSTER, name } });
const give = (send: Send, approval: string, name = 'prod') =>
  call(send, kubePassRoutes.give, { params: { ...CLUSTER, name }, body: { approval } });
const answer = (send: Send, requestId: string, action: 'accept' | 'deny', tokenId?: string) =>
  call(send, cliLoginRoutes.answer, { params: { requestId }, body: { action, ...(tokenId ? { tokenId } : {}) } });
async function accept({ browser, secret }: Pick<Person, 'browser' | 'secret'>, requestId: string): Promise<void> {
  gateway.clock.advance(30_000);
  const body = { secondFactorToken: codeOf(secret, gateway.clock.now) };
  await answer(
    browser.send,
    requestId,
    'accept',
    await call(browser.send, passwordRoutes.createPrivilegeToken, { body }),
  );
}

test('a yes with a device in the browser gives one pass, and is used up', async () => {
  const { approval, code, url, pollSeconds } = await ask(ann.program);
  expect(url).toBe(`http://localhost:3080/web/cli/${approval}`);
  expect(pollSeconds).toBeGreaterThan(0);
  await expect(give(ann.program, approval)).rejects.toMatchObject(PENDING);
  const details = await call(ann.browser.send, cliLoginRoutes.details, { params: { requestId: approval } });
  expect(details).toMatchObject({ code, kube: { name: 'prod' }, address: '127.0.0.1' });
  expect(details).not.toHaveProperty('ssh');

  await accept(ann, approval);
  const { token } = await give(ann.program, approval);

  const row = gateway.storage.db.selectFrom('kube_pass').selectAll().where('hash', '=', hashToken(token));
  expect(await row.executeTakeFirst()).toMatchObject({ user: 'ann', name: 'prod', factor_proven: 1 });
  await expect(give(ann.program, approval)).rejects.toMatchObject(OVER);
  const events = (await gateway.events()).filter(({ code }) => code === 'GH104I');
  expect(events.at(-1)).toMatchObject({
    user: 'ann',
    data: { client: 'programs at the Kubernetes cluster prod, a second factor' },
  });
});

test('what was denied, and what nobody asked, gives none', async () => {
  const { approval } = await ask(ann.program);
  await answer(ann.browser.send, approval, 'deny');

  await expect(give(ann.program, approval)).rejects.toMatchObject(OVER);
  await expect(give(ann.program, 'f'.repeat(32))).rejects.toMatchObject(OVER);
  await expect(give(ann.program, "' or 1=1 --")).rejects.toMatchObject({ code: 'bad_request' });
});

test('a yes is good for the sign-in that asked, and for that cluster alone', async () => {
  const other = await programOf(ann.browser);
  const eve = await somebody('eve');
  const { approval } = await ask(ann.program);
  await accept(ann, approval);

  await expect(give(other, approval)).rejects.toMatchObject(OVER);
  await expect(give(eve.program, approval)).rejects.toMatchObject(OVER);
  await expect(give(ann.program, approval, 'stage')).rejects.toMatchObject(OVER);
  // None of them used it up.
  expect(await give(ann.program, approval)).toHaveProperty('token');
});

test('nobody else sees, accepts or denies it, and no command line does', async () => {
  const eve = await somebody('mal');
  const { approval } = await ask(ann.program);
  const hidden = { status: 404 };

  await expect(
    call(eve.browser.send, cliLoginRoutes.details, { params: { requestId: approval } }),
  ).rejects.toMatchObject(hidden);
  await expect(accept(eve, approval)).rejects.toMatchObject(hidden);
  await expect(answer(eve.browser.send, approval, 'deny')).rejects.toMatchObject(hidden);
  await expect(answer(ann.program, approval, 'accept')).rejects.toMatchObject({ code: 'denied' });
  await expect(give(ann.program, approval)).rejects.toMatchObject(PENDING);
});

test('what somebody says yes to for something else is no second factor, nor the other way round', async () => {
  const login = await call(gateway.send, cliLoginRoutes.begin, { body: { client: 'laptop' } });
  await accept(ann, login.requestId);
  await expect(give(ann.program, login.requestId)).rejects.toMatchObject(OVER);

  const { approval } = await ask(ann.program);
  await accept(ann, approval);
  const params = { requestId: approval };
  for (const secret of ['', approval, 'f'.repeat(64)])
    await expect(call(gateway.send, cliLoginRoutes.poll, { params, body: { secret } })).rejects.toThrow();
});

test('whoever has no device is told so where they accept, and nothing is given', async () => {
  await gateway.addUser('dan', { roles: ['dev', 'careful'] });
  const browser = await gateway.signedIn('dan');
  const program = await programOf(browser);
  const { approval } = await ask(program);

  await expect(answer(browser.send, approval, 'accept')).rejects.toMatchObject({
    ...{ code: 'denied', message: 'you have no second factor: add one to your account first' },
  });
  await expect(give(program, approval)).rejects.toMatchObject(PENDING);
});

test('a device that was shown a moment ago for something else is not one that was shown for this', async () => {
  const { browser, secret } = await somebody('kim');
  const program = await programOf(browser);
  const { approval } = await ask(program);
  // Her roles ask for none any more: what was proven at signing in would do elsewhere.
  await gateway.setRoles('kim', ['dev']);
  await gateway.settled();
  const fresh = gateway.browser();
  gateway.clock.advance(30_000);
  await fresh.signIn('kim', 'correct horse', codeOf(secret, gateway.clock.now));

  await expect(answer(fresh.send, approval, 'accept')).rejects.toMatchObject({ code: 'mfa_required' });
});

test('where no role asks for one there is nothing to ask, and a cluster that is hidden looks like one that is not there', async () => {
  await gateway.addUser('bob', { roles: ['dev'] });
  const bob = await gateway.signedIn('bob');
  await expect(ask(bob.send)).rejects.toMatchObject({ code: 'conflict' });

  await gateway.addUser('cas', { roles: ['careful'] });
  const cas = await gateway.signedIn('cas');
  const [hidden, absent] = await Promise.all(
    ['prod', 'nowhere'].map((name) => ask(cas.send, name).catch((error: Error) => error.message)),
  );
  expect(hidden).toBe(`${absent}`.replace('nowhere', 'prod'));
});
