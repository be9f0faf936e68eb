/** What is found in recordings and when it was seen, alike on both engines. */
import { appendFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { begunRecording, writeRecording } from '../../../src/evidence/recordings/recording-status-store.ts';
import type { TestBrowser } from '../../test-browser.ts';
import { type Happening, recordingPieces } from './build-recording.ts';
import { CLUSTER, type RecordingWorld } from './recording-world.ts';

export function searchSuite(start: () => Promise<RecordingWorld>): void {
  let world: RecordingWorld;
  let eve: TestBrowser;

  beforeAll(async () => {
    world = await start();
    await world.gateway.addUser('eve', { roles: ['auditor'] });
    eve = await world.gateway.signedIn('eve');
  });
  afterAll(() => world.close());

  const SIZE: Happening = { ms: 0, type: 'size', cols: 80, rows: 24 };
  const end = (ms: number): Happening => ({ ms, type: 'end', cause: 'exited', message: 'it exited' });
  const output = (ms: number, text: string): Happening => ({ ms, type: 'output', text });

  const search = (text: string, query: Record<string, string> = {}) =>
    call(eve.send, recordingRoutes.search, { params: CLUSTER, query: { text, ...query } as never });
  const find = (sid: string, text: string) =>
    call(eve.send, recordingRoutes.find, { params: { ...CLUSTER, sid }, query: { text } as never });
  const get = (sid: string) => call(eve.send, recordingRoutes.get, { params: { ...CLUSTER, sid } });

  test('a hit opens at the second at which the words were first on the screen, and is told once', async () => {
    const happenings = [
      SIZE,
      output(1_000, '$ '),
      ...[...'systemctl restart nginx'].map((key, index) => output(2_000 + index * 100, key)),
      output(5_000, '\r\n'),
      output(7_500, 'Job for \x1b[31mnginx.service\x1b[0m failed: Connection refused\r\n$ '),
      // Scrolled out long before anybody looks for it.
      ...Array.from({ length: 60 }, (_, line) => output(9_000 + line, `filler number ${line}\r\n`)),
      output(20_000, '\x1b[?1049h\x1b[2J\x1b[H~ editing secret-plans.txt\x1b[5;1Hwords in an editor'),
      ...Array.from({ length: 30 }, (_, step) =>
        output(21_000 + step * 1_000, `\x1b[8;1Hposition ${step} of a redraw`),
      ),
      output(60_000, '\x1b[?1049l'),
      end(61_000),
    ];
    const sid = await world.record({ happenings, durationMs: 61_000 });
    await world.indexed(eve, sid);

    const refused = (await search('"connection refused"')).found;
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ sid, playable: true, moreHits: false });
    expect(refused[0]?.hits).toEqual([
      { ms: 7_500, line: 'Job for nginx.service failed: Connection refused', marks: [[30, 18]] },
    ]);
    expect((await search('nginx failed')).found[0]?.hits).toHaveLength(1);
    expect((await search('refused nowhere')).found).toEqual([]);
    // Words alone, in any order, of one line; their beginning with a star.
    expect((await search('REFUSED job')).found).toHaveLength(1);
    expect((await search('conn')).found).toEqual([]);
    expect((await search('conn*')).found).toHaveLength(1);
    expect((await search('nginx.service')).found).toHaveLength(1);
    expect((await search('!!!')).found).toEqual([]);

    expect((await find(sid, 'secret-plans')).hits).toEqual([
      { ms: 20_000, line: '~ editing secret-plans.txt', marks: [[10, 12]] },
    ]);
    // To the look, of which there are two or three a second.
    expect(Math.floor(((await find(sid, 'filler number 3')).hits[0]?.ms ?? 0) / 500)).toBe(18);
    expect((await find(sid, 'of a redraw')).hits.length).toBeLessThan(8);
    expect(await find(sid, 'never there')).toEqual({ hits: [], complete: true });
    const { markers } = await get(sid);
    expect(markers).toContainEqual({ ms: 4_200, type: 'command', text: 'systemctl restart nginx' });
  });

  test('pages of hits go from the newest recording to the oldest, each once', async () => {
    const sids: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      const happenings = [SIZE, output(100, `marmalade ${number}\r\n`), end(1_000)];
      sids.unshift(await world.record({ happenings, agoMs: 1_000_000 - number * 1_000 }));
    }
    for (const sid of sids) await world.indexed(eve, sid);

    const pages: string[][] = [];
    let startKey = '';
    do {
      const page = await search('marmalade', { limit: '2', ...(startKey ? { startKey } : {}) });
      pages.push(page.found.map(({ sid }) => sid));
      startKey = page.startKey;
    } while (startKey !== '');

    expect(pages.flat()).toEqual(sids);
    expect(pages.every((page) => page.length <= 2)).toBe(true);
    await expect(search('marmalade', { startKey: 'AAAA' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('a running session is followed: what is new is played, indexed and found without reading it all again', async () => {
    const happenings = [
      SIZE,
      output(100, 'first tangerine\r\n'),
      output(1_500, 'still first\r\n'),
      output(30_000, 'then a kumquat\r\n'),
      output(31_500, 'and on\r\n'),
    ];
    const sid = await world.record({ running: true, agoMs: 60_000, happenings: [] });
    // A second each, and the seal that only an end has.
    const seconds = [...recordingPieces({ sid, started: 0 }, happenings, world.signer)].slice(0, -1);
    expect(seconds).toHaveLength(4);
    writeFileSync(world.pathOf(sid), Buffer.concat(seconds.slice(0, 2)));
    const details = await get(sid);
    expect(details).toMatchObject({ state: 'live', playable: true });
    const params = { ...CLUSTER, sid };
    const start = await call(eve.send, recordingRoutes.playback, { params, query: { seek: '0' } as never });
    expect(start).toMatchObject({ live: true });
    await vi.waitFor(async () => expect((await search('tangerine')).found).toHaveLength(1), { timeout: 30_000 });

    appendFileSync(world.pathOf(sid), Buffer.concat(seconds.slice(2)));
    const rest = await call(eve.send, recordingRoutes.playback, { params, query: { next: start.next } as never });
    const printed = [...start.items, ...rest.items].flatMap((item) =>
      item.type === 'output' ? [Buffer.from(item.data, 'base64').toString()] : [],
    );
    expect(printed.join('')).toContain('kumquat');
    world.gateway.clock.advance(120_000);
    await vi.waitFor(
      async () => {
        await get(sid);
        expect((await search('kumquat')).found[0]?.hits[0]?.ms).toBe(30_000);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect((await find(sid, 'tangerine')).hits).toHaveLength(1);
  });

  test('what retention removed is found no more, and what cannot be played says why', async () => {
    const gone = await world.record({ happenings: [SIZE, output(100, 'obsolete walrus\r\n'), end(1_000)] });
    await world.indexed(eve, gone);
    expect((await search('walrus')).found).toHaveLength(1);
    unlinkSync(world.pathOf(gone));
    const { db } = world.gateway.storage;
    await db
      .insertInto('recording')
      .values({ sid: gone, state: 'removed', gap: '', reason: '', bytes: 0, duration_ms: 0, changed: 0, checked: 1 })
      .onConflict((conflict) => conflict.column('sid').doUpdateSet({ state: 'removed', reason: '' }))
      .execute();
    const missing = await world.record({});
    const torn = await world.record({
      happenings: [SIZE, output(100, 'half an answer\r\n'), end(5_000)],
      change: (bytes) => bytes.subarray(0, bytes.length - 200),
    });
    const foreign = await world.record({
      happenings: [SIZE, output(100, 'x\r\n'), end(5_000)],
      change: () =>
        Buffer.from('this is no recording at all, but long enough to be looked at as if it were one of them'),
    });
    await get(torn);

    await vi.waitFor(async () => expect((await find(torn, 'half')).hits).toHaveLength(1), { timeout: 30_000 });
    await vi.waitFor(async () => expect((await search('walrus')).found).toEqual([]), { timeout: 30_000 });
    expect(await get(gone)).toMatchObject({ state: 'removed', playable: false });
    expect(await get(missing)).toMatchObject({ state: 'missing', playable: false });
    expect(await get(torn)).toMatchObject({ state: 'truncated', playable: true });
    expect(await get(foreign)).toMatchObject({ state: 'corrupted', playable: false });
    for (const sid of [gone, missing, foreign]) {
      const query = { seek: '0' } as never;
      const played = call(eve.send, recordingRoutes.playback, { params: { ...CLUSTER, sid }, query });
      await expect(played).rejects.toMatchObject({ code: 'conflict' });
    }
    const playable = await call(eve.send, recordingRoutes.list, {
      params: CLUSTER,
      query: { state: 'playable' } as never,
    });
    expect(playable.recordings.every((recording) => recording.playable)).toBe(true);
    expect(playable.recordings.map(({ sid }) => sid)).not.toContain(missing);
  });

  test('of a damaged recording what comes before the damage is shown, and nothing behind it', async () => {
    const happenings = [SIZE, output(100, 'sound part\r\n'), output(5_000, 'second frame\r\n'), end(9_000)];
    const sid = await world.record({
      happenings,
      durationMs: 9_000,
      // The second frame says that another came before it; it can still be read.
      change(bytes) {
        const at = bytes.indexOf('GHR1', 200, 'latin1') + 40;
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        return bytes;
      },
    });
    // As the reconciler notes it.
    const noted = { ...begunRecording(sid), state: 'corrupted' as const, reason: 'it was changed', checked: 1 };
    await writeRecording(world.gateway.storage.db, noted);
    expect(await get(sid)).toMatchObject({ state: 'corrupted', playable: true, reason: 'it was changed' });

    const params = { ...CLUSTER, sid };
    const played = await call(eve.send, recordingRoutes.playback, { params, query: { seek: '0' } as never });
    const printed = played.items.flatMap((item) => (item.type === 'output' ? [Buffer.from(item.data, 'base64')] : []));
    expect(String(Buffer.concat(printed))).toBe('sound part\r\n');
    expect(played.items.at(-1)).toMatchObject({ type: 'end' });
    expect(played.next).toBeUndefined();
    const last = await call(eve.send, recordingRoutes.screen, { params, query: {} });
    expect(last.ansi).toContain('sound');
    expect(last.ansi).not.toContain('second');
  });

  test('an index that is damaged or of another version is made again', async () => {
    const sid = await world.record({ happenings: [SIZE, output(100, 'sturdy oak\r\n'), end(1_000)] });
    await world.indexed(eve, sid);
    const { db } = world.gateway.storage;
    writeFileSync(join(world.folder, `${sid}.index`), 'garbage');
    await db
      .updateTable('recording_index')
      .set({ version: 0, complete: 0, blocks: 0 })
      .where('sid', '=', sid)
      .execute();
    await new Promise((resolve) => setTimeout(resolve, 2_100));

    await world.indexed(eve, sid);
    expect((await find(sid, 'sturdy oak')).hits).toHaveLength(1);
  });
}
