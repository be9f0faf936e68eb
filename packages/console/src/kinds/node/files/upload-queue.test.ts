import { CallError } from '@gatehouse/contract/wire/client';
import { expect, test, vi } from 'vitest';
import { idOf, UploadQueue, type UploadWire } from './upload-queue.ts';

const chosen = (name: string, text = 'content') => ({ name, file: new File([text], name, { lastModified: 7 }) });

function queueOver(wire: Partial<UploadWire>) {
  const later: (() => void)[] = [];
  const onDone = vi.fn();
  const queue = new UploadQueue({
    wire: {
      progress: async () => ({ offset: 0, exists: false }),
      write: async () => undefined,
      giveUp: async () => undefined,
      ...wire,
    },
    onDone,
    explain: (error) => (error instanceof Error ? error.message : ''),
    after: (work) => later.push(work),
  });
  const states = () => queue.items.get().map(({ state }) => state);
  return { queue, later, onDone, states };
}

test('three run at once, and the next begins when one is done', async () => {
  const ends: (() => void)[] = [];
  const { queue, states } = queueOver({ write: () => new Promise((resolve) => ends.push(resolve)) });

  queue.add(
    '/srv',
    ['a', 'b', 'c', 'd'].map((name) => chosen(name)),
  );
  await vi.waitFor(() => expect(ends).toHaveLength(3));
  expect(states()).toEqual(['running', 'running', 'running', 'waiting']);
  ends[0]?.();

  await vi.waitFor(() => expect(states()).toEqual(['done', 'running', 'running', 'running']));
});

test('what was lost is tried again from what is there', async () => {
  const sent: string[] = [];
  let there = 0;
  const { queue, later, states } = queueOver({
    progress: async () => ({ offset: there, exists: false }),
    async write({ offset }, body) {
      sent.push(`${offset}:${await body.text()}`);
      if (sent.length > 1) return;
      there = 4;
      throw new TypeError('gone');
    },
  });

  queue.add('/srv', [chosen('a', 'abcdefgh')]);
  await vi.waitFor(() => expect(states()).toEqual(['lost']));
  later[0]?.();
  await vi.waitFor(() => expect(states()).toEqual(['done']));

  expect(sent).toEqual(['0:abcdefgh', '4:efgh']);
});

test('a name that is taken waits for a word, and is replaced by it', async () => {
  const asked: string[] = [];
  const { queue, states } = queueOver({
    async write({ replace }) {
      asked.push(replace);
      if (replace === 'false') throw new CallError('exists', 'conflict', 409, { fields: { exists: true } });
    },
  });

  queue.add('/srv', [chosen('a')]);
  await vi.waitFor(() => expect(states()).toEqual(['exists']));
  queue.resume('1', { replace: true });
  await vi.waitFor(() => expect(states()).toEqual(['done']));

  expect(asked).toEqual(['false', 'true']);
});

test('a refusal is not tried again, and a paused one waits', async () => {
  const { queue, states, later } = queueOver({
    write: (_query, _body, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    async progress({ name }) {
      if (name === 'no') throw new CallError('not yours', 'denied', 403);
      return { offset: 0, exists: false };
    },
  });

  queue.add('/srv', [chosen('no'), chosen('a')]);
  await vi.waitFor(() => expect(states()).toEqual(['failed', 'running']));
  queue.pause('2');

  expect(states()).toEqual(['failed', 'paused']);
  expect(later).toEqual([]);
});

test('a cancelled one is gone here and there', async () => {
  const giveUp = vi.fn(async () => undefined);
  const { queue, states } = queueOver({ write: () => new Promise(() => {}), giveUp });

  queue.add('/srv', [chosen('a')]);
  await vi.waitFor(() => expect(states()).toEqual(['running']));
  queue.cancel('1');

  expect(states()).toEqual([]);
  expect(giveUp).toHaveBeenCalledWith({ folder: '/srv', name: 'a', upload: expect.stringMatching(/^[0-9a-f]{16}$/) });
});

test('the same file has the same id, another one another', () => {
  const file = { size: 1, lastModified: 2 };

  expect(idOf('/a', 'b', file)).toBe(idOf('/a', 'b', file));
  expect(idOf('/a', 'b', file)).not.toBe(idOf('/a', 'c', file));
});
