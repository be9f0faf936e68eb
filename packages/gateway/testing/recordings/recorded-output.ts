/** What a recording says was printed and typed, for tests. */
import { openFileSource } from '../../src/evidence/recordings/disk-store.ts';
import { findFrames, type RecordedItem, readItems } from '../../src/evidence/recordings/read-recording.ts';

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
