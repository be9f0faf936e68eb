/** How many files somebody uses at once, for how long they may rest, and that nobody but their kind takes them for sessions. */
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { DEV, LOGINS, openEdge, startEdgeFiles } from '../../../../testing/files/edge-files.ts';
import type { FilesClient } from '../../../../testing/files/files-client.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import type { TestAgent } from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const MINUTE_MS = 60_000;
/** Longer than the gateway takes to look at the clock. */
const LOOKED_MS = 1_200;
let gateway: IdentityGateway;
let admin: TestBrowser;
let agent: TestAgent;

beforeAll(async () => {
  gateway = await startIdentityGateway();
  ({ admin, agent } = await startEdgeFiles(gateway));
  await makeRole(admin, 'restless', `{options: {client_idle_timeout: 20m}, ${DEV}}`);
});
afterAll(async () => {
  await agent.close({ drainMs: 0 });
  await gateway.close();
});

async function comes(name: string, roles: string[]): Promise<TestBrowser> {
  await gateway.addUser(name, { roles });
  return gateway.signedIn(name);
}

const open = (who: TestBrowser, login?: string) => openEdge(gateway, who, login);

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
