import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Happening } from '../../../../testing/recordings/playback/build-recording.ts';
import { type RecordingWorld, startRecordingWorld } from '../../../../testing/recordings/playback/recording-world.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let world: RecordingWorld;
let eve: TestBrowser;
let sid: string;
const printed = Array.from({ length: 300 }, (_, line) => `zeile ${line} größe 漢字 🙂\r\n`);

beforeAll(async () => {
  world = await startRecordingWorld();
  await world.gateway.addUser('eve', { roles: ['auditor'] });
  eve = await world.gateway.signedIn('eve');
  const happenings: Happening[] = [
    { ms: 0, type: 'size', cols: 100, rows: 30 },
    ...printed.map((text, line): Happening => ({ ms: 50 + line * 50, type: 'output', text })),
    { ms: 15_100, type: 'size', cols: 120, rows: 40 },
    { ms: 15_200, type: 'end', cause: 'exited', message: 'it exited' },
  ];
  sid = await world.record({ happenings, durationMs: 15_200 });
});
afterAll(() => world.close());

const get = (path: string) => eve.send({ method: 'GET', url: `/v1/webapi/sites/localhost/sessions/${sid}/${path}` });

test('events tell sizes, what was printed when and where, and the end', async () => {
  const { events, startKey } = JSON.parse((await get('events')).text);
  const whole = Buffer.from(printed.join(''));

  expect(startKey).toBe('');
  expect(events[0]).toMatchObject({ event: 'session.start', size: '100:30', ei: 0 });
  expect(events.at(-2)).toMatchObject({ event: 'resize', size: '120:40' });
  expect(events.at(-1)).toMatchObject({ event: 'session.end', sid });
  const prints = events.filter(({ event }: { event: string }) => event === 'print');
  expect(Object.keys(prints[0]).sort()).toEqual(['bytes', 'ci', 'ei', 'event', 'ms', 'offset', 'time']);
  let offset = 0;
  for (const [index, print] of prints.entries()) {
    expect(print).toMatchObject({ offset, ci: index });
    offset += print.bytes;
  }
  expect(offset).toBe(whole.length);
  expect(events.map(({ ei }: { ei: number }) => ei)).toEqual(events.map((_: unknown, index: number) => index));
  const later = JSON.parse((await get('events?after=250')).text).events;
  expect(later[0].ei).toBe(251);
});

test('the stream is what was printed, in pieces of any size, and no character is cut in two', async () => {
  const whole = printed.join('');
  const total = Buffer.byteLength(whole);
  const { app } = world.gateway;
  const fetchPiece = async (offset: number, size: number) => {
    const url = `/v1/webapi/sites/localhost/sessions/${sid}/stream?offset=${offset}&bytes=${size}`;
    const cookie = [...eve.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const authorization = `Bearer ${eve.bearer}`;
    const accepts = size % 2 === 0 ? { 'accept-encoding': 'gzip' } : {};
    const answer = await app.inject({ url, headers: { host: 'localhost:3080', cookie, authorization, ...accepts } });
    expect(answer.headers['content-encoding']).toBe(size % 2 === 0 ? 'gzip' : undefined);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    const isPacked = answer.headers['content-encoding'] === 'gzip';
    return isPacked ? gunzipSync(answer.rawPayload) : answer.rawPayload;
  };
  for (const size of [997, 1_000, 1_001, 4_096]) {
    const texts: string[] = [];
    for (let offset = 0; offset < total; offset += size) texts.push((await fetchPiece(offset, size)).toString('utf8'));
    expect(texts.join('')).toBe(whole);
  }
  expect((await fetchPiece(0, 50 * 1024 * 1024)).length).toBe(total);
  expect((await fetchPiece(total + 10, 100)).length).toBe(0);
});

test('an id that is none is a bad request, one that is nobody’s is not found', async () => {
  const at = (id: string, path: string) =>
    eve.send({ method: 'GET', url: `/v1/webapi/sites/localhost/sessions/${id}/${path}` });
  expect((await at('not-an-id', 'events')).status).toBe(400);
  expect((await at('not-an-id', 'stream?offset=0&bytes=10')).status).toBe(400);
  expect((await at(randomUUID(), 'events')).status).toBe(404);
  expect((await at(sid, 'stream?offset=x')).status).toBe(400);
});
