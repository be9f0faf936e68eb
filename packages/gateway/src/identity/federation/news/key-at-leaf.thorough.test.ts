/** A key that is registered at the root, asked for by a leaf: it opens there, once, for the sign-in it was asked for; and signs nobody in. */
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { isForSignedIn } from '@gatehouse/contract/identity/signed-in-challenge';
import type { AssertionResponse } from '@gatehouse/contract/identity/webauthn';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { join, startCluster, type TestCluster } from '../../../../testing/federation/two-clusters.ts';
import { type Visitor, visitor } from '../../../../testing/federation/visitor.ts';
import { enrolKey, PROMPT } from '../../../../testing/identity-gateway.ts';
import type { SoftwareKey } from '../../../../testing/software-key.ts';

let root: TestCluster;
let leaf: TestCluster;
let key: SoftwareKey;
let ann: Visitor;
let other: Visitor;
let who: { username: string; signInId: string };

beforeAll(async () => {
  const options = { secondFactor: 'optional' } as const;
  [root, leaf] = [await startCluster('localhost', undefined, options), await startCluster('east', undefined, options)];
  leaf.clock.now = root.clock.now;
  await join(root, leaf);
  await root.addUser('ann', { roles: ['access'] });
  // Before there is a key: signing in would ask for it.
  other = await visitor(root, leaf, 'ann');
  ann = await visitor(root, leaf, 'ann');
  const tokenId = await call(ann.browser.send, passwordRoutes.createPrivilegeToken, { body: {} });
  key = await enrolKey(ann.browser, tokenId);
  const { clusterId } = leaf.storage.cluster;
  await vi.waitFor(() => expect(root.identity.federation.links().leaf(clusterId).isConnected).toBe(true), {
    timeout: SOON_MS,
  });
  const { username, signInId } = await ann.admit();
  who = { username, signInId };
  // The line of news is opened once the tunnel is up.
  await vi.waitFor(() => leaf.identity.askForFactor(who), { timeout: SOON_MS });
});
afterAll(async () => {
  await leaf?.close();
  await root?.close();
});

async function answered(): Promise<AssertionResponse> {
  const { webauthn_challenge } = await leaf.identity.askForFactor(who);
  expect(isForSignedIn(webauthn_challenge!)).toBe(true);
  return key.assert(webauthn_challenge!, PROMPT);
}
const prove = (given: AssertionResponse) => leaf.identity.proveAgain(who, { code: undefined, key: given }, {} as never);

test('the answer of the key opens at the leaf, and no second time', async () => {
  const given = await answered();

  await prove(given);
  await expect(prove(given)).rejects.toThrow();
});

test('a leaf that keeps the answer signs nobody in at the root with it', async () => {
  const webauthnAssertionResponse = await answered();

  await expect(
    call(root.browser().send, mfaRoutes.finishLogin, { body: { user: 'ann', webauthnAssertionResponse } }),
  ).rejects.toThrow();
});

test('nor does it count for another sign-in of the same person', async () => {
  const { username, signInId } = await other.admit();
  expect(signInId).not.toBe(who.signInId);
  const given = await answered();

  await expect(
    leaf.identity.proveAgain({ username, signInId }, { code: undefined, key: given }, {} as never),
  ).rejects.toThrow();
});
