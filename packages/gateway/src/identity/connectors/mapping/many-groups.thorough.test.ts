/** Somebody in 25,000 groups signs in, and hostile claims give nothing. How long it takes is measured in bench/providers. */
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';

let gateway: SsoGateway;
afterEach(() => gateway.close());

test('25,000 groups and 1,000 entries are mapped to the role they give', async () => {
  const groups = Array.from({ length: 25_000 }, (_, at) => `group-${at}`);
  gateway = await startSsoGateway({ accounts: { ann: { ...ANN, groups } } });
  await gateway.save({
    claims_to_roles: Array.from({ length: 1_000 }, (_, at) => ({
      claim: 'groups',
      value: at % 2 ? `group-${at * 24}` : `*-none-${at}`,
      roles: ['access'],
    })),
  });
  const browser = gateway.browser();
  let at = await gateway.toCallback(browser, 'ann');
  while (at.startsWith('/v1/')) at = await visit(browser, at);

  expect(at).toBe('/web');
  const record = await call(gateway.admin.send, userRecordRoutes.get, { params: { username: 'ann@acme.example' } });
  expect(record.roles).toEqual(['access']);
});

test.each([
  [{ logins: ['root'], databaseUsers: ['postgres'], kubernetes_groups: ['system:masters'] }],
  [{ 'external.logins': ['root'] }],
  [{ groups: [['staff'], { staff: true }, 'staff\u0000', null, 7] }],
  [{ roles: ['editor'], admin: true }],
])('claims %j give nothing but what the mapping says', async (claims) => {
  gateway = await startSsoGateway({ accounts: { ann: { ...ANN, ...claims } } });
  await gateway.save({ claims_to_roles: [{ claim: 'email', value: '*', roles: ['access'] }] });

  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');

  const record = await call(gateway.admin.send, userRecordRoutes.get, { params: { username: 'ann@acme.example' } });
  expect(record).toMatchObject({ roles: ['access'], traits: {} });
});
