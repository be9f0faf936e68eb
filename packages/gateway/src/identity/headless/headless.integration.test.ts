/** Gateways that share a store: whichever a machine without a browser asks, any of them takes the answer. */
import { generateKeyPairSync } from 'node:crypto';
import { headlessRoutes } from '@gatehouse/contract/identity/headless';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { enrolKey, type IdentityGateway, PROMPT, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../testing/storage/shared-stores.ts';
import { headlessId } from '../../platform/crypto/ssh/headless-id.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';

let postgres: TestPostgres;
let here: IdentityGateway;
let there: IdentityGateway;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  const share = sharedStores(await storeDatabase(postgres));
  const open = async () => startIdentityGateway({ secondFactor: 'optional', shared: await share() });
  here = await open();
  there = await open();
});
afterEach(async () => {
  await here.close();
  await there.close();
});

test('a call that one gateway holds is answered through the other', async () => {
  await there.addUser('ann');
  const ann = await there.signedIn('ann');
  const tokenId = await call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} });
  const key = await enrolKey(ann, tokenId);
  const publicKey = Buffer.from(`${publicKeyLine(ed25519Blob(generateKeyPairSync('ed25519').privateKey))}\n`);
  const requestId = headlessId(publicKey);
  // The browser is first: it hears of the request from the other gateway.
  const shown = call(ann.send, headlessRoutes.get, { params: { requestId } });
  const held = call(here.send, sshCertificateRoutes.issue, {
    body: { user: 'ann', headless_id: requestId, pub_key: publicKey.toString('base64'), target: 'root@web-1' },
  });
  expect(await shown).toMatchObject({ state: 1, gatehouse: { server: 'web-1', login: 'root', command: '' } });
  const challenge = await call(ann.send, mfaRoutes.challenge, {});
  const webauthnAssertionResponse = key.assert(challenge.webauthn_challenge!, PROMPT);
  await call(ann.send, headlessRoutes.answer, {
    params: { requestId },
    body: { action: 'accept', webauthnAssertionResponse },
  });
  expect(await held).toMatchObject({ username: 'ann' });
});
