/** Who comes in by a join token: only who holds the key that is left, and nobody who was removed. */
import { generateKeyPairSync } from 'node:crypto';
import { agentRoutes } from '@gatehouse/contract/agents/agents';
import { call } from '@gatehouse/contract/client';
import { nodeRoutes } from '@gatehouse/contract/nodes/nodes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ed25519Blob, publicKeyLine } from '../ssh-keys/public-key.ts';
import { type IdentityGateway, startIdentityGateway } from '../testing/identity-gateway.ts';
import { join, joinBody, newAgentKey, newJoinToken } from '../testing/test-agent.ts';
import type { TestBrowser } from '../testing/test-browser.ts';
import { findAgent } from './agent-store.ts';
import { CHALLENGE_MS } from './join-challenges.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const refusals = async () =>
  (await gateway.events()).filter(({ code }) => code === 'GH202W').map(({ data }) => data.reason);

test('a token and the public key of another agent change nothing about that agent', async () => {
  const victimKey = newAgentKey();
  const victim = await join(gateway.send, {
    token: await newJoinToken(admin.send, { labels: { env: 'prod' } }),
    name: 'prod-db',
    key: victimKey,
  });
  const token = await newJoinToken(admin.send, { labels: { env: 'dev' }, uses: 1 });
  const claimed = await joinBody(gateway.send, { token, name: 'dev-box', key: newAgentKey(), claim: victimKey });

  await expect(call(gateway.send, agentRoutes.join, { body: claimed })).rejects.toMatchObject({ status: 403 });

  expect(await findAgent(gateway.storage.db, 'localhost', victim.id)).toMatchObject({
    name: 'prod-db',
    labels: { env: 'prod' },
  });
  expect(await refusals()).toEqual([expect.stringContaining('did not prove that it holds its key')]);
  // Nothing was used up.
  await join(gateway.send, { token, name: 'dev-box' });
});

test('a proof is for one token, name, gateway and moment', async () => {
  const token = await newJoinToken(admin.send);
  const other = await newJoinToken(admin.send);
  const key = newAgentKey();
  const body = await joinBody(gateway.send, { token, name: 'web-1', key });
  const joinAs = (changes: object) => call(gateway.send, agentRoutes.join, { body: { ...body, ...changes } });

  for (const changes of [
    { token: other },
    { name: 'web-2' },
    { audience: 'gate.example' },
    { nonce: `x${body.nonce}` },
    { nonce: 'made.up.now' },
    { signature: 'A'.repeat(86) },
  ]) {
    await expect(joinAs(changes), JSON.stringify(changes)).rejects.toMatchObject({ status: 403 });
  }
  gateway.clock.now += CHALLENGE_MS + 1;
  await expect(joinAs({})).rejects.toMatchObject({ status: 403 });
  expect(await gateway.storage.db.selectFrom('agent').select('id').execute()).toEqual([]);
});

test.each([{ uses: 1 }, { uses: 5 }, {}])(
  'an agent that was removed does not come back with the token it used: %o',
  async (uses) => {
    const token = await newJoinToken(admin.send, uses);
    const key = newAgentKey();
    await join(gateway.send, { token, name: 'mole', key });
    // An answer that was lost is asked for again.
    await join(gateway.send, { token, name: 'mole', key });
    await call(admin.send, agentRoutes.remove, { params: { id: 'mole' } });

    await expect(join(gateway.send, { token, name: 'mole', key })).rejects.toMatchObject({ status: 403 });
    await expect(join(gateway.send, { token, name: 'mole-2', key })).rejects.toMatchObject({ status: 403 });
    expect(await refusals()).toContain('what joined with this token and key was removed');
    // With a new token an administrator has decided otherwise.
    await join(gateway.send, { token: await newJoinToken(admin.send), name: 'mole', key });
  },
);

test('a machine joins only under the names its token has', async () => {
  const token = await newJoinToken(admin.send, { offers: { nodes: ['web-*'] } });

  await expect(join(gateway.send, { token, name: 'db-1' })).rejects.toMatchObject({ code: 'conflict' });
  await join(gateway.send, { token, name: 'web-1' });
});

test('a server with plain OpenSSH that was removed does not come back with the token it used', async () => {
  const token = await newJoinToken(admin.send, { uses: 2 });
  const hostKey = publicKeyLine(ed25519Blob(generateKeyPairSync('ed25519').publicKey));
  const enrol = () =>
    call(gateway.send, nodeRoutes.enrol, {
      body: { token, name: 'web-1', addr: '192.0.2.7:22', hostKeys: [hostKey] } as never,
    });
  await enrol();
  await call(admin.send, nodeRoutes.remove, { params: { clusterId: '-current-', id: 'web-1' } });

  await expect(enrol()).rejects.toMatchObject({ status: 403 });
});
