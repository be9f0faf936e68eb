import { userLogin } from '@gatehouse/contract/audit/sign-in-events';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { openTestFolder } from '../../../../testing/storage/test-folder.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import { openEventStream } from '../../../platform/audit/event-stream.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { openStorage } from '../../../platform/storage/open-storage.ts';
import { createLogNews } from '../log-news.ts';
import { runSinks } from './run-sinks.ts';
import type { Sink } from './sink.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test('two gateways on one log give a sink every event once, and each chain in order', async () => {
  const url = await storeDatabase(postgres);
  const heard = new Map<string, number[]>();
  const sink = (): Sink => ({
    name: 'siem',
    type: 'test',
    async deliver({ chain, items }) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const places = items.flatMap(({ row }) => (row ? [row.chain_index] : []));
      heard.set(chain, [...(heard.get(chain) ?? []), ...places]);
    },
    async close() {},
  });
  const gateways = await Promise.all(['g1', 'g2'].map((chain) => open(url, chain, sink())));

  await Promise.all(
    gateways.map(async (emit) => {
      for (let index = 0; index < 60; index++) await emit(`user-${index}`);
    }),
  );

  const all = Array.from({ length: 60 }, (_, index) => index + 1);
  await vi.waitFor(() => expect([heard.get('g1'), heard.get('g2')]).toEqual([all, all]), { timeout: 30_000 });
});

async function open(url: string, chain: string, sink: Sink) {
  const { db, close } = await openStorage({ url, dataDir: openTestFolder(), log: silentLog, now: Date.now });
  const facts = { chain, clusterName: 'c1', now: Date.now };
  const stream = openEventStream({ ...facts, db, queue: undefined, strict: false, log: silentLog });
  const news = createLogNews(db, silentLog);
  const running = runSinks([sink], { db, stream, news, log: silentLog });
  onTestFinished(async () => {
    news.close();
    await running.close();
    await stream.close();
    await close();
  });
  const audit = createAudit(facts);
  return (user: string) =>
    db.transaction().execute((tx) => audit.emit(tx, userLogin, { user, success: true, method: 'local' }));
}
