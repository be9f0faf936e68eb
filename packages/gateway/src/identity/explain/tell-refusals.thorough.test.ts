import { eventRoutes } from '@gatehouse/contract/audit/search';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { createAudit, GATEWAY_CHAIN } from '../../platform/audit/emit.ts';
import { silentLog } from '../../platform/std/log.ts';
import { createRefusals } from './tell-refusals.ts';

afterEach(() => void vi.useRealTimers());

test('the id that a refused person is shown leads an administrator to the event, and nobody else', async () => {
  const gateway = await startIdentityGateway();
  onTestFinished(() => gateway.close());
  await gateway.addUser('ines', { roles: ['access'] });
  await gateway.addUser('admin', { roles: ['auditor'] });
  const ines = await gateway.signedIn('ines');
  const admin = await gateway.signedIn('admin');
  const refused = await ines.send({ method: 'GET', url: '/v1/webapi/users' });
  const { requestId } = (JSON.parse(refused.text) as { error: { requestId: string } }).error;
  expect(requestId).toMatch(/./);

  const params = { clusterId: 'localhost' };
  for (const query of [{ search: requestId }, { requestId }]) {
    const { events } = await call(admin.send, eventRoutes.search, { params, query: query as never });
    expect(events).toMatchObject([
      {
        code: 'GH367W',
        user: 'ines',
        denial: requestId,
        door: 'GET /v1/webapi/users',
        reason: expect.stringMatching(/list/),
      },
    ]);
  }
  const url = `/v1/webapi/sites/localhost/events/search?search=${requestId}`;
  expect((await ines.send({ method: 'GET', url })).status).toBe(403);
});

test('who is refused thousands of times fills no log, and every id of the last is found', async () => {
  const storage = await openMemoryStorage(() => 1000);
  onTestFinished(() => storage.close());
  const { db } = storage;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const audit = createAudit({ now: () => 1000, clusterName: 'main', chain: GATEWAY_CHAIN });
  const refusals = createRefusals({ db, audit, log: silentLog });
  const who = { username: 'mallory', signInId: 's' };
  for (let n = 0; n < 1_000; n += 1) {
    const common = { id: `id-${n}`, who, address: '192.0.2.1', message: 'no' };
    await refusals.refused({ ...common, call: 'GET /v1/webapi/users' });
    await refusals.refused({ ...common, id: `other-${n}`, call: `GET /v1/webapi/${n}` });
  }
  await refusals.close();

  const rows = await db.selectFrom('event').select('data').execute();
  const told = rows.map(({ data }) => JSON.parse(data) as { count?: number; denials?: string[]; door: string });
  expect(told.length).toBeLessThan(30);
  expect(told.find(({ count, door }) => count === 999 && door === 'GET /v1/webapi/users')?.denials).toContain('id-999');
  expect(told.find(({ count, door }) => count && door === 'many calls')?.denials).toContain('other-999');
});
