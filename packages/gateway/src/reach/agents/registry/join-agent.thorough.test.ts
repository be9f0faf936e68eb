/** Who comes in by a join token: only who holds the key that is left, and nobody who was removed. */

import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import {
  join,
  joinBody,
  newAgentKey,
  newJoinToken,
  nodeOf,
  startAgent,
  type TestAgent,
  tunnelUrl,
} from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { enrolBody, hostKeyLine, newHostKey } from '../../../../testing/test-host.ts';
import { findSeenNode } from '../../../kinds/node/find-node.ts';
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
  const keys = [newHostKey()];
  const enrol = async () =>
    call(gateway.send, nodeRoutes.enrol, {
      body: await enrolBody(gateway.send, { token, name: 'web-1', addr: '192.0.2.7:22', keys }),
    });
  await enrol();
  await call(admin.send, nodeRoutes.remove, { params: { clusterId: '-current-', id: 'web-1' } });

  await expect(enrol()).rejects.toMatchObject({ status: 403 });
});

describe('a host name', () => {
  const SOON = { timeout: 10_000 };
  const agents: TestAgent[] = [];
  let url: string;
  beforeEach(async () => {
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    url = tunnelUrl(gateway.app);
  });
  afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.close({ drainMs: 0 }))));

  async function machine(name: string, hostname: string): Promise<{ id: string; running: TestAgent }> {
    const joined = await join(gateway.send, { token: await newJoinToken(admin.send), name });
    const node = nodeOf(joined);
    const running = startAgent(joined, { url, resources: [{ ...node, spec: { ...node.spec, hostname } }] });
    agents.push(running);
    await expect.poll(() => running.taken.length, SOON).toBeGreaterThan(0);
    return { id: joined.id, running };
  }
  const found = async (wanted: string) => {
    const { db } = gateway.storage;
    const finder = { db, access: { decide: () => ({ allowed: true }) } as never, clusterName: 'localhost' };
    return findSeenNode(finder, {} as never, wanted).then(
      ({ name }) => name,
      ({ code }: { code: string }) => code,
    );
  };

  test('does not lead to another machine while the one that had it is away', async () => {
    const real = await machine('prod-db', 'db1.inside');
    expect(await found('db1.inside')).toBe('prod-db');
    await real.running.report([]);
    await machine('evil', 'db1.inside');

    expect(await found('db1.inside')).toBe('not_found');
    await real.running.report([nodeOf({ id: real.id, name: 'prod-db' })]);
    expect(await found('db1.inside')).toBe('not_found');
  });

  test("that several have leads to none of them, and the name of a server that is away is nobody else's host name", async () => {
    await machine('prod-db', 'db1.inside');
    await machine('evil', 'db1.inside');
    expect(await found('db1.inside')).toBe('conflict');

    const away = await machine('web-1', 'web-1');
    await away.running.report([]);
    await machine('worse', 'web-1');
    expect(await found('web-1')).toBe('not_found');
  });

  test.each([['a b'], ['x'.repeat(300)], [''], ['../etc']])('is a name: %s is refused', async (hostname) => {
    const { running } = await machine('odd', hostname);

    expect(running.taken[0]?.refused).toHaveLength(1);
  });

  test('that differs from a name or host name of another in its case alone leads to nobody: ssh asks in lower case', async () => {
    await machine('DB01', 'PG.inside');
    const token = await newJoinToken(admin.send);
    await expect(join(gateway.send, { token, name: 'db01' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(join(gateway.send, { token, name: 'pg.Inside' })).rejects.toMatchObject({ code: 'conflict' });
    const body = { name: 'Db01', addr: '192.0.2.9:22', hostKeys: [hostKeyLine(newHostKey())] };
    const params = { clusterId: '-current-' };
    await expect(call(admin.send, nodeRoutes.add, { params, body })).rejects.toMatchObject({ code: 'conflict' });

    await machine('evil', 'db01');
    await machine('worse', 'pg.inside');
    expect(await Promise.all(['db01', 'pg.inside', 'DB01', 'PG.inside'].map(found))).toEqual([
      'not_found',
      'not_found',
      'DB01',
      'DB01',
    ]);
  });

  test('or the id of a server is no name of another', async () => {
    const { id } = await machine('prod-db', 'db1.inside');
    const token = await newJoinToken(admin.send);

    await expect(join(gateway.send, { token, name: 'db1.inside' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(join(gateway.send, { token, name: id })).rejects.toMatchObject({ code: 'conflict' });
    for (const name of ['db1.inside', id])
      await expect(
        call(admin.send, nodeRoutes.add, {
          params: { clusterId: '-current-' },
          body: { name, addr: '192.0.2.9:22', hostKeys: [hostKeyLine(newHostKey())] },
        }),
      ).rejects.toMatchObject({ code: 'conflict' });
    await call(admin.send, agentRoutes.remove, { params: { id } });
    await join(gateway.send, { token, name: 'db1.inside' });
  });
});
