import { expect, test } from 'vitest';
import type { SqlClient } from './sql-client.ts';
import { Tab } from './tab.ts';

test('a tab that was closed opens nothing for what still waits in it', async () => {
  let opened = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const tab = new Tab(async () => {
    opened += 1;
    return { onGone() {}, close() {} } as unknown as SqlClient;
  });
  await tab.client();
  void tab.take(() => promise);
  const waiting = tab.take(() => tab.client());
  tab.close();
  resolve();

  await expect(waiting).rejects.toThrow('the tab is closed');
  expect(opened).toBe(1);
});
