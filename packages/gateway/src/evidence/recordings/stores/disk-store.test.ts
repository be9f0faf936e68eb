/** A folder of recordings that is none. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDiskStore } from './disk-store.ts';

test('what is wrong with the folder is said in words', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-recordings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'recordings'), '');
  const store = openDiskStore(join(folder, 'recordings'));
  const wrong = { code: 'not_available', message: expect.stringContaining('the folder of recordings is a file') };

  await expect(store.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(wrong);
  await expect(store.open('0190a1b2-0000-7000-8000-000000000000')).rejects.toMatchObject(wrong);
});
