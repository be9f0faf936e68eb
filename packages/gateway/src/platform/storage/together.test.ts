import { passwordChanged } from '@gatehouse/contract/audit/account-events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { createAudit } from '../audit/emit.ts';
import { publish } from '../change-feed/publish.ts';
import { SqliteConnection } from './sqlite/sqlite-connection.ts';
import type { SqliteRequest } from './sqlite/sqlite-messages.ts';
import { gathering } from './write-last.ts';

const tableIn = (request: SqliteRequest) =>
  'sql' in request ? /\b(?:into|update) "?(\w+)/.exec(request.sql)?.[1] : request.type;

test('what is told with a change is on its way in two messages, and the commit in a third', async () => {
  const { db, close } = await openMemoryStorage();
  onTestFinished(close);
  const audit = createAudit({ now: () => 1, clusterName: 'test', chain: 'gateway' });
  const change = () =>
    db.transaction().execute((tx) =>
      gathering(tx, async () => {
        await publish(tx, { topic: 'user', id: 'ann' });
        for (const user of ['ann', 'bob']) await audit.emit(tx, passwordChanged, { user });
      }),
    );
  // The first of a chain makes it.
  await change();
  const run = vi.spyOn(SqliteConnection.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  await change();

  expect(run.mock.calls.map(([batch]) => batch.map(tableIn))).toEqual([
    ['change', 'event_chain'],
    ['event', 'event_words', 'event_chain'],
    ['commit'],
  ]);
});
