/** What a recording says was printed and typed, for tests. */

import { findFrames, type RecordedItem, readItems } from '../../src/evidence/recordings/format/read-recording.ts';
import { openFileSource } from '../../src/evidence/recordings/stores/disk-store.ts';

export async function recordedItems(path: string): Promise<RecordedItem[]> {
  const source = await openFileSource(path);
  if (!source) throw new Error(`there is no recording at ${path}`);
  const items: RecordedItem[] = [];
  for await (const frame of findFrames(source)) items.push(...(await readItems(source, frame)));
  await source.close();
  return items;
}

export async function recordedOutput(path: string): Promise<Buffer> {
  const items = await recordedItems(path);
  return Buffer.concat(items.flatMap((item) => (item.type === 'output' ? [Buffer.from(item.bytes)] : [])));
}
