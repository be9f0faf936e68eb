import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CLIENT_SECRET, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { openConnector } from '../connector-deps.ts';
import { findConnector } from '../stores/connector-store.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway();
  await gateway.save();
});
afterEach(() => gateway.close());

test('a connector that is changed while it is opened has the secrets it was read with', async () => {
  const { storage, secrets, admin } = gateway;
  const read = await findConnector(storage.db, 'okta');
  const spec = { issuer_url: 'https://elsewhere.example', client_secret: 'for somebody else' };
  await call(admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document(spec) },
  });

  const opened = openConnector({ secrets, opened: new BoundedMap(10) }, read!);

  expect(opened.secrets).toEqual({ 'spec.client_secret': CLIENT_SECRET });
});
