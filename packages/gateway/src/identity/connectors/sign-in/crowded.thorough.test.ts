/** Strangers who begin as many sign-ins through a provider as they can: whoever is elsewhere still gets in. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import { ATTEMPT_MS } from '../stores/attempt-store.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway();
  await gateway.save();
});
afterEach(() => gateway.close());

const BEGIN = '/v1/webapi/oidc/login/web?connector_id=okta';
const AT_ONCE = 500;

/** As so many strangers have begun before. */
async function begun(network: string, count: number, clients = 1): Promise<void> {
  const { db } = gateway.storage;
  const { now } = gateway.clock;
  for (let from = 0; from < count; from += AT_ONCE)
    await db
      .insertInto('sso_attempt')
      .values(
        Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => ({
          state_hash: `${network} ${from + index}`,
          id: `${network} ${from + index}`,
          kind: 'oidc',
          connector: 'okta',
          revision: '',
          purpose: 'browser',
          browser_hash: '',
          network,
          client_key: clients === 1 ? '' : `${network} ${(from + index) % clients}`,
          sealed: '',
          created: now,
          expires: now + ATTEMPT_MS,
        })),
      )
      .execute();
}

async function countIn(network: string): Promise<number> {
  const { count } = await gateway.storage.db
    .selectFrom('sso_attempt')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('network', '=', network)
    .executeTakeFirstOrThrow();
  return Number(count);
}

test.each([
  { network: '2001:db8:1::/48', inside: '2001:db8:1:ff::1' },
  { network: '192.0.2.0/24', inside: '192.0.2.200' },
])('whoever has begun most of all in $network gives way to their neighbours', async ({ network, inside }) => {
  await begun(network, 5_000, 25);
  const neighbour = gateway.browser({ address: inside });
  const callback = await gateway.toCallback(neighbour, 'ann');
  for (let times = 0; times < 3; times++) await gateway.browser({ address: inside }).visit(BEGIN);

  expect(await countIn(network)).toBe(5_000 - 50 + 4);
  expect(await visit(neighbour, callback)).toContain('/v1/webapi/sso/finish/');
});

test('a table that many networks have filled refuses nobody else', async () => {
  for (let network = 0; network < 10; network++) await begun(`10.0.${network}.0/24`, 4_900 + network * 20);
  await begun('10.1.0.0/24', 100);
  const browser = gateway.browser({ address: '192.0.2.1' });

  expect(await gateway.signIn(browser, 'ann')).toBe('/web');

  expect(await countIn('10.0.9.0/24')).toBe(5_080 - 500);
});
