/** A HEAD is a GET nobody reads: what that would use up, count or write down stays as it is. */
import { allRoutes } from '@gatehouse/contract/api/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const READ = allRoutes()
  .filter(({ route }) => route.method === 'GET')
  .map(({ route }) => ({ path: route.path, isAnswered: 'headToo' in route }));

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
});
afterAll(() => gateway.close());

const head = (url: string) => admin.send({ method: 'HEAD', url });

test.each(READ)('HEAD $path', async ({ path, isAnswered }) => {
  const { status, text } = await head(path.replaceAll(/:[A-Za-z]\w*/g, 'x1'));

  expect([status, text]).toEqual([isAnswered ? 200 : 405, isAnswered ? '' : expect.any(String)]);
});

test('is answered for what tells that somebody is there, and for nothing else', () => {
  const answered = READ.filter(({ isAnswered }) => isAnswered).map(({ path }) => path);
  expect(answered.toSorted()).toEqual([
    '/.well-known/jwks.json',
    '/v1/openapi.json',
    '/v1/webapi/find',
    '/v1/webapi/ping',
  ]);
});

test('of the page makes no token', async () => {
  const secrets = () => gateway.storage.db.selectFrom('sign_in_secret').select('hash').execute();
  const before = await secrets();

  expect((await head('/web')).status).toBe(200);

  expect(await secrets()).toEqual(before);
});
