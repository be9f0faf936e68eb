/** From a client of SFTP to the audit log: a real agent, and a store that keeps what was done. */
import { duplexPair } from 'node:stream';
import { REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { type RealAgent, startRealAgent } from '../../../../testing/tunnels/real-agent.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { NodeAction } from './file-session.ts';
import { relayFiles } from './relay-files.ts';
import { SftpClient } from './sftp/sftp-client.ts';

let agent: RealAgent;
let storage: Storage;
beforeAll(async () => {
  [agent, storage] = await Promise.all([startRealAgent(), openMemoryStorage()]);
});
afterAll(async () => {
  await Promise.all([agent?.close(), storage?.close()]);
});

async function begin() {
  const { reach, resource, login } = agent;
  const audit = createAudit({ now: Date.now, clusterName: 'main', chain: 'gateway' });
  const nodes = { connect: () => Promise.reject(new Error('it is no OpenSSH server')) };
  const action = { kind: 'node', resource, login } as unknown as NodeAction;
  const facts = { id: 'session-1', action, user: 'ann', signInId: 'sign-in-1', mfa: false };
  const [client, near] = duplexPair();
  const session = new AbortController();
  const deps = { reach, nodes, db: storage.db, audit };
  const relay = await relayFiles(deps, { facts, address: '192.0.2.7', client: near, signal: session.signal });
  return { client: await SftpClient.greet(client), relay, session, near };
}

const codes = async () => {
  const rows = await storage.db.selectFrom('event').select(['code', 'data']).orderBy('id').execute();
  return rows.map(({ code, data }) => [code, (JSON.parse(String(data)) as { path: string }).path]);
};

test('what a client hears as done stands in the log already', async () => {
  const { client, relay } = await begin();
  await client.change(REQUEST.mkdir, 'made', 0);
  expect(await codes()).toEqual([['TS012I', 'made']]);
  await expect(client.change(REQUEST.mkdir, 'made', 0)).rejects.toThrow();
  expect(await codes()).toEqual([
    ['TS012I', 'made'],
    ['TS012E', 'made'],
  ]);
  relay.end('the test is over');
  expect(await relay.ended).toBe('the test is over');
});

test('it ends with the session, and leaves the client’s stream to who gave it', async () => {
  const { relay, session, near } = await begin();
  session.abort();

  expect(await relay.ended).toMatch(/session is over|ended the connection/);
  expect(near.destroyed).toBe(false);
});
