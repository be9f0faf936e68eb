/** Appends events to a file as JSON lines. What a crash wrote without remembering it is seen in the file itself, so no line is there twice. */
import { type FileHandle, open } from 'node:fs/promises';
import { eventProof, PROOF_FIELD } from '@gatehouse/contract/audit/checkpoint';
import { z } from 'zod';
import type { Sink } from './sink.ts';

/** More than a batch is long. */
const LOOK_BACK_BYTES = 64 * 1024 * 1024;
const CHECKPOINT_LINE = z.object({ checkpoint: z.object({ body: z.string() }) });
const EVENT_LINE = z.object({ [PROOF_FIELD]: eventProof.pick({ chain: true, index: true }) });

export function fileSink({ name, path }: { name: string; path: string }): Sink {
  let opened: Promise<{ file: FileHandle; written: Map<string, number> }> | undefined;
  return {
    name,
    type: 'file',
    async deliver({ chain, first, items }) {
      opened ??= openFile(path);
      const { file, written } = await opened.catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      const known = written.get(chain) ?? 0;
      const lines = items.filter((_, index) => first + index > known).map(({ text }) => `${text}\n`);
      if (lines.length === 0) return;
      try {
        await file.appendFile(lines.join(''));
        await file.datasync();
        written.set(chain, first + items.length - 1);
      } catch (error) {
        // Half a batch may be there: looked at again before the next attempt.
        opened = undefined;
        await file.close().catch(() => {});
        throw error;
      }
    },
    async close() {
      await (await opened?.catch(() => undefined))?.file.close();
    },
  };
}

async function openFile(path: string): Promise<{ file: FileHandle; written: Map<string, number> }> {
  const file = await open(path, 'a+', 0o600);
  const { size } = await file.stat();
  const start = Math.max(0, size - LOOK_BACK_BYTES);
  const buffer = Buffer.alloc(size - start);
  await file.read(buffer, 0, buffer.length, start);
  const whole = buffer.lastIndexOf(0x0a) + 1;
  if (whole < buffer.length) await file.truncate(start + whole);
  const written = new Map<string, number>();
  for (const line of buffer.toString('utf8', 0, whole).split('\n')) {
    const place = placeIn(line);
    if (place) written.set(place.chain, Math.max(place.index, written.get(place.chain) ?? 0));
  }
  return { file, written };
}

function placeIn(line: string): { chain: string; index: number } | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    const event = EVENT_LINE.safeParse(parsed);
    if (event.success) return event.data[PROOF_FIELD];
    const checkpoint = CHECKPOINT_LINE.parse(parsed);
    return { chain: '', index: z.object({ number: z.number() }).parse(JSON.parse(checkpoint.checkpoint.body)).number };
  } catch {
    return undefined;
  }
}
