/** A touch of a key that is registered at the root, asked for by a leaf: it opens there, once, soon, for the sign-in it was asked for; nowhere else. */
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { isForSignedIn } from '@gatehouse/contract/identity/signed-in-challenge';
import type { AssertionResponse } from '@gatehouse/contract/identity/webauthn';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { join, startCluster, type TestCluster } from '../../../../testing/federation/two-clusters.ts';
import { type Visitor, visitor } from '../../../../testing/federation/visitor.ts';
import { enrolKey, PROMPT } from '../../../../testing/identity-gateway.ts';
import type { SoftwareKey } from '../../../../testing/software-key.ts';
import { WEBAUTHN_TIMEOUT_MS } from '../../credentials/webauthn.ts';

let root: TestCluster;
let leaf: TestCluster;
let west: TestCluster;
let key: SoftwareKey;
let ann: Visitor;
let other: Visitor;
let who: { username: string; signInId: string };
/** The same sign-in at the other leaf. */
let whoInWest: { username: string; signInId: string };

beforeAll(async () => {
  const options = { secondFactor: 'optional' } as const;
  [root, leaf, west] = [
    await startCluster('localhost', undefined, options),
    await startCluster('east', undefined, options),
    await startCluster('west', undefined, options),
  ];
  for (const each of [leaf, west]) {
    each.clock.now = root.clock.now;
    await join(root, each);
  }
  await root.addUser('ann', { roles: ['access'] });
  // Before there is a key: signing in would ask for it.
  other = await visitor(root, leaf, 'ann');
  ann = await visitor(root, leaf, 'ann');
  const tokenId = await call(ann.browser.send, passwordRoutes.createPrivilegeToken, { body: {} });
  key = await enrolKey(ann.browser, tokenId);
  const admitted = async (to: TestCluster) => {
    const { federation } = root.identity;
    const row = federation.leaves.byId(to.storage.cluster.clusterId)!;
    await vi.waitFor(() => expect(federation.links().leaf(row.id).isConnected).toBe(true), { timeout: SOON_MS });
    const passport = await federation.passportFor(await ann.actor(), row, to.identity.federation.gatewayId);
    const { username, signInId } = await to.identity.federation.admit(passport, 'root');
    // The line of news is opened once the tunnel is up.
    await vi.waitFor(() => to.identity.askForFactor({ username, signInId }), { timeout: SOON_MS });
    return { username, signInId };
  };
  who = await admitted(leaf);
  whoInWest = await admitted(west);
});
afterAll(async () => {
  await west?.close();
  await leaf?.close();
  await root?.close();
});

// A right answer takes back the wrong ones that the test before gave through it.
beforeEach(async () => {
  for (const [at, as] of [
    [leaf, who],
    [west, whoInWest],
  ] as const)
    await at.identity.proveAgain(as, { code: undefined, key: await answered(at, as) }, {} as never);
});

async function answered(at = leaf, as = who): Promise<AssertionResponse> {
  const { webauthn_challenge } = await at.identity.askForFactor(as);
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

test('nor through another leaf, nor at the root itself, where the same person proves a factor under the same sign-in', async () => {
  const [inWest, atRoot] = [await answered(), await answered()];

  await expect(west.identity.proveAgain(whoInWest, { code: undefined, key: inWest }, {} as never)).rejects.toThrow(
    'the key was not accepted',
  );
  await expect(
    call(ann.browser.send, passwordRoutes.createPrivilegeToken, { body: { webauthnAssertionResponse: atRoot } }),
  ).rejects.toThrow('the key was not accepted');
  // Shown once at the wrong place, it is used up.
  await expect(prove(inWest)).rejects.toThrow('the key was not accepted');
});

test('a word that stands for a touch opens at the leaf it was given for, once, and within a minute', async () => {
  const { federation } = root.identity;
  const { signInId } = await ann.actor();
  const wordFor = (to: TestCluster) => federation.vouch(to.storage.cluster.clusterId, signInId);
  const give = (to: TestCluster, as: typeof who, code: string) =>
    to.identity.proveAgain(as, { code, key: undefined }, {} as never);
  const [word, late] = [wordFor(leaf), wordFor(leaf)];

  await expect(give(west, whoInWest, word)).rejects.toThrow('not right');
  await give(leaf, who, word);
  await expect(give(leaf, who, word)).rejects.toThrow('not right');
  root.clock.advance(60_001);
  await expect(give(leaf, who, late)).rejects.toThrow('not right');
});

/** The last one: whatever the others were given has run out with it. */
test('nor after its time', async () => {
  const given = await answered();
  root.clock.advance(WEBAUTHN_TIMEOUT_MS);

  await expect(prove(given)).rejects.toThrow('the key was not accepted');
});
