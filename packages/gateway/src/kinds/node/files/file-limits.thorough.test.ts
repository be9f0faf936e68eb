/** How many files somebody uses at once, for how long they may rest, and that nobody but their kind takes them for sessions. */
import { FILES_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { serveEndlessFiles } from '../../../../testing/files/endless-files.ts';
import { type FilesClient, openFiles } from '../../../../testing/files/files-client.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { join, newJoinToken, startAgent, type TestAgent, tunnelUrl } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { putResources } from '../../../inventory/resource-store.ts';

const MINUTE_MS = 60_000;
const LOGINS = Array.from({ length: 30 }, (_, at) => `login-${at}`);
/** Longer than the gateway takes to look at the clock. */
const LOOKED_MS = 1_200;
let gateway: IdentityGateway;
let admin: TestBrowser;
let agent: TestAgent;

const serveFiles: OnStream = (offered, { target }) => {
  const stream = offered.accept().on('error', () => {});
  if (target === FILES_TARGET) serveEndlessFiles(stream);
};

beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await gateway.addUser('admin', { roles: ['editor', 'auditor'] });
  admin = await gateway.signedIn('admin');
  const allow = `allow: {logins: [${LOGINS.join(', ')}], node_labels: {env: dev}}`;
  await makeRole(admin, 'dev', `{${allow}}`);
  await makeRole(admin, 'restless', `{options: {client_idle_timeout: 20m}, ${allow}}`);
  const joined = await join(gateway.send, { token: await newJoinToken(admin.send), name: 'edge' });
  const server = {
    ...{ cluster: 'localhost', kind: 'node' as const, id: joined.id, name: 'edge', labels: { env: 'dev' } },
    ...{ spec: { type: 'agent', hostname: 'edge' }, owner: joined.id, expires: undefined },
  };
  await gateway.storage.db.transaction().execute((tx) => putResources(tx, [server], 0));
  agent = startAgent(joined, { url: tunnelUrl(gateway.app), onStream: serveFiles });
  await vi.waitFor(() => expect(gateway.connections.isConnected(joined.id)).toBe(true), { timeout: 5_000 });
});
afterAll(async () => {
  await agent.close({ drainMs: 0 });
  await gateway.close();
});

async function comes(name: string, roles: string[]): Promise<TestBrowser> {
  await gateway.addUser(name, { roles });
  return gateway.signedIn(name);
}

const open = (who: TestBrowser, login = LOGINS[0]!) => openFiles(gateway.app, who, { server: 'edge', login });

/** Whether something can be copied, as the status of the answer. */
async function begins(files: FilesClient): Promise<number> {
  const { status, body } = await files.read('/home/endless');
  await body?.cancel();
  return status;
}

test('who asks for the files of thirty logins at the same moment has those of twenty', async () => {
  const hasty = await comes('hasty', ['dev']);

  const asked = await Promise.allSettled(LOGINS.map((login) => open(hasty, login)));

  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  const rows = await gateway.storage.db.selectFrom('file_session').select('id').where('user', '=', 'hasty').execute();
  expect(rows).toHaveLength(20);
});

test('files that rested longer than a role lets a session rest are over, however long the gateway remembers them', async () => {
  const [restless, dev] = [await comes('rests', ['restless']), await comes('lasts', ['dev'])];
  const [files, others] = [await open(restless), await open(dev)];

  gateway.clock.advance(16 * MINUTE_MS);
  await new Promise((resolve) => setTimeout(resolve, LOOKED_MS));
  gateway.clock.advance(5 * MINUTE_MS);
  const kept = () => gateway.storage.db.selectFrom('file_session').select('id').where('id', '=', files.id).execute();
  await expect.poll(kept).toEqual([]);

  for (const who of [restless, dev]) await who.open();
  expect(await begins(others)).toBe(200);
  expect(await begins(files)).toBe(404);
});

test('files in use are no session that somebody could look at or end', async () => {
  const who = await comes('quiet', ['dev']);
  const files = await open(who);
  await admin.open();
  const asked = { params: { clusterId: 'localhost', sid: files.id } };

  for (const each of [who, admin]) {
    await expect(call(each.send, sessionRoutes.get, asked)).rejects.toMatchObject({ status: 404 });
    await expect(call(each.send, sessionRoutes.end, { ...asked, query: {} })).rejects.toMatchObject({ status: 404 });
  }
  expect(await begins(files)).toBe(200);
});
