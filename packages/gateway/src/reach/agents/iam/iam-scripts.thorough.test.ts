/** Scripts of the method `iam`: the name of such a token is no secret, so whoever fetches one is nobody yet. */
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ACCOUNT } from '../../../../testing/aws/identities.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const fetched = async (path: string) => (await gateway.app.inject({ method: 'GET', url: path })).body;
const offers = async () => (await call(admin.send, joinTokenRoutes.list, {})).map((token) => token.offers);

test.each([
  ['App', 'install-app.sh?name=evil&uri=http://10.0.0.1:80'],
  ['Db', 'install-database.sh?name=evil&uri=postgres://10.0.0.1:5432'],
] as const)('a stranger who knows its name does not choose what a token for %s is for', async (role, script) => {
  const { id } = await call(admin.send, joinTokenRoutes.create, {
    body: { roles: [role], join_method: 'iam', allow: [{ aws_account: ACCOUNT }] },
  });

  expect(await fetched(`/scripts/${id}/${script}&method=iam`)).toContain('this join token is not valid');
  expect(await offers()).toEqual([{}]);
});

test('one that names its application gives the script for that one', async () => {
  const { id } = await call(admin.send, joinTokenRoutes.create, {
    body: {
      ...{ roles: ['App'], join_method: 'iam', allow: [{ aws_account: ACCOUNT }] },
      app: { name: 'wiki', uri: 'http://10.0.0.1:80' },
    },
  });

  const at = (name: string) => `/scripts/${id}/install-app.sh?name=${name}&uri=http://10.0.0.1:80&method=iam`;
  expect(await fetched(at('wiki'))).toContain("OFFERED_NAME='wiki'");
  expect(await fetched(at('evil'))).toContain('this join token is not valid');
});
