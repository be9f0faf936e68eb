/** What a recording says was printed, for tests. */
import { open } from 'node:fs/promises';
import { decodeItems, ITEMS } from '../frames.ts';
import { findFrames, readFrame } from '../read-frames.ts';

export async function recordedOutput(path: string): Promise<Buffer> {
  const file = await open(path);
  const { frames } = await findFrames(file);
  const parts: Buffer[] = [];
  for (const frame of frames)
    for (const { type, bytes } of decodeItems(await readFrame(file, frame)))
      if (type === ITEMS.output) parts.push(Buffer.from(bytes));
  await file.close();
  return Buffer.concat(parts);
}
