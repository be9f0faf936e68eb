import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventType } from '@gatehouse/contract/events/define-event';
import { joinTokenDeleted } from '@gatehouse/contract/kinds/node/server-events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDiskQueue } from './disk-queue.ts';
import { draftEvent, type EventDraft } from './event-draft.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-queue-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const draftOf = (name: string): EventDraft =>
  draftEvent(joinTokenDeleted as unknown as EventType, { user: 'ann', name }, {}, { clusterName: 'main', time: 1 });

async function replayed(queue: Awaited<ReturnType<typeof openDiskQueue>>): Promise<EventDraft[]> {
  const all: EventDraft[] = [];
  await queue.replay(async (drafts) => void all.push(...drafts));
  return all;
}

test('an event that is longer than what is read at once is handed over as the others are', async () => {
  const queue = await openDiskQueue(folder);
  const long = { ...draftOf('long'), data: JSON.stringify({ text: 'x'.repeat(3_000_000) }) };

  await queue.append([draftOf('before'), long, draftOf('after')]);

  expect((await replayed(queue)).map(({ data }) => data.length > 1_000_000)).toEqual([false, true, false]);
  expect(queue.waiting).toBe(0);
  await queue.close();
});

test('a line that cannot be read is put aside, and those behind it are handed over', async () => {
  const first = await openDiskQueue(folder);
  await first.append([draftOf('before')]);
  await first.close();
  await appendFile(join(folder, 'waiting.jsonl'), '{"uid": 1, broken\n');
  const queue = await openDiskQueue(folder);
  await queue.append([draftOf('after')]);

  const drafts = await replayed(queue);

  expect(drafts).toHaveLength(2);
  expect([queue.waiting, queue.deadLetters]).toEqual([0, 1]);
  expect(await readFile(queue.deadFile, 'utf8')).toMatch('broken');
  await queue.close();
});
