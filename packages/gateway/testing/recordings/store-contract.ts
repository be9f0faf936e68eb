/** What every store of recordings must do, run against each of them. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RecordingStore, StoredRecording } from '../../src/evidence/recordings/stores/recording-store.ts';

export interface StoreUnderTest {
  store: RecordingStore;
  /** Puts a whole recording there. */
  put(sid: string, bytes: Buffer): Promise<void>;
}

export function describeRecordingStore(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    const started = (async () => ({ made: await start() }))();
    const all = async (store: RecordingStore) => {
      const found: StoredRecording[] = [];
      for await (const recording of store.list()) found.push(recording);
      return found;
    };

    test('what was put there is read from any place, and ends where it ends', async () => {
      const { store, put } = (await started).made;
      const sid = randomUUID();
      const bytes = Buffer.alloc(3_000_000, Buffer.from(Array.from({ length: 251 }, (_, index) => (index * 7) % 251)));
      await put(sid, bytes);
      const source = await store.open(sid);

      expect(source?.bytes).toBe(bytes.length);
      for (const [from, length] of [
        [0, 10],
        [1_048_570, 20],
        [999_999, 2_000_000],
        [2_999_990, 100],
        [3_000_000, 10],
        [9_000_000, 10],
      ] as const)
        expect((await source?.read(from, length))?.equals(bytes.subarray(from, from + length))).toBe(true);
      await source?.close();
    });

    test('what is not there is not there, whatever it is called', async () => {
      const { store } = (await started).made;

      for (const sid of [randomUUID(), '', '..', '../x', 'a/b', `${randomUUID()}.rec`, `${randomUUID()}/`, '%2e%2e']) {
        expect(await store.open(sid)).toBeUndefined();
        await store.remove(sid);
      }
    });

    test('what is beside it is found by its name, replaced as a whole, and not taken for a recording', async () => {
      const { store, put } = (await started).made;
      const sid = randomUUID();
      await put(sid, Buffer.from('recording'));
      await store.writeBeside(sid, 'index', Buffer.from('first'));
      await store.writeBeside(sid, 'index', Buffer.from('second'));

      expect(String(await store.readBeside(sid, 'index'))).toBe('second');
      expect(await store.readBeside(sid, 'other')).toBeUndefined();
      expect(await store.readBeside(randomUUID(), 'index')).toBeUndefined();
      expect((await all(store)).filter((found) => found.sid === sid)).toMatchObject([{ sid, bytes: 9 }]);
      for (const name of ['rec', '../x', 'a/b', 'A', ''])
        await expect(store.writeBeside(sid, name, Buffer.from('x'))).rejects.toThrow(RangeError);
      await expect(store.readBeside('../..', 'index')).rejects.toThrow(RangeError);
    });

    test('what is removed is gone with everything beside it, and only that', async () => {
      const { store, put } = (await started).made;
      const [gone, kept] = [randomUUID(), randomUUID()];
      for (const sid of [gone, kept]) {
        await put(sid, Buffer.from('recording'));
        await store.writeBeside(sid, 'index', Buffer.from('index'));
      }
      await store.remove(gone);
      await store.remove(gone);

      expect(await store.open(gone)).toBeUndefined();
      expect(await store.readBeside(gone, 'index')).toBeUndefined();
      const sids = (await all(store)).map(({ sid }) => sid);
      expect([sids.includes(gone), sids.includes(kept)]).toEqual([false, true]);
      expect(String(await store.readBeside(kept, 'index'))).toBe('index');
    });
  });
}
