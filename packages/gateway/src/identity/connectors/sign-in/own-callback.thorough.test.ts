/** Mix-up: one provider sends a browser on to another, and gets the code that the other one gave. */
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';

const NAMELESS = { redirect_url: `${ORIGIN}/v1/webapi/oidc/callback` };

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({ connectors: ['okta', 'other'], accounts: { ann: ANN } });
});
afterEach(() => gateway.close());

test('one connector may be answered at the address that names none, and no second one', async () => {
  await gateway.save(NAMELESS);

  await expect(gateway.save(NAMELESS, 'other')).rejects.toThrow("'spec.redirect_url' is that of 'okta' too");
  await gateway.save({ ...NAMELESS, enabled: false }, 'other');
  const on = { params: { name: 'other' }, body: { content: gateway.document(NAMELESS, 'other') } };
  await expect(call(gateway.admin.send, oidcConnectorRoutes.update, on)).rejects.toThrow('end it in /callback/other');
  // It may be saved again itself.
  await call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document({ ...NAMELESS, display: 'Okta' }) },
  });
});

test('two that are there nevertheless take no answer: its code is sent to nobody', async () => {
  await gateway.save(NAMELESS);
  await gateway.save({ ...NAMELESS, enabled: false }, 'other');
  const browser = gateway.browser();
  const state = async () => {
    const begun = new URL(await visit(browser, '/v1/webapi/oidc/login/web?connector_id=okta'));
    return begun.searchParams.get('state');
  };
  const answer = async () => {
    const url = `/v1/webapi/oidc/callback?code=of-another&state=${await state()}&iss=${gateway.world.issuer}`;
    const before = gateway.world.asked.length;
    await visit(browser, url);
    const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
    return { reason: event?.data.error, asked: gateway.world.asked.slice(before) };
  };
  expect((await answer()).reason).toContain("says 'invalid_grant'");

  await gateway.storage.db.updateTable('connector').set({ enabled: 1 }).where('name', '=', 'other').execute();

  expect(await answer()).toEqual({
    reason: expect.stringContaining("'okta' and 'other' are both answered at an address that names neither"),
    asked: [],
  });
});
