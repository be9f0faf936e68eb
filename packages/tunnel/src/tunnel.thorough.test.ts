import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { connectBy, WAYS } from '../testing/four-ways.ts';
import { countBytes, percentile, produce, roundTrip, until } from '../testing/streams.ts';
import type { ConnectOptions } from './connect-tunnel.ts';
import { SESSION_WINDOW_BYTES, STREAM_WINDOW_BYTES } from './http2/session-options.ts';

/** Four times what may be under way in a stream at once, and no more: every byte of it is encrypted and counted four times over. */
const BULK_BYTES = 4 * STREAM_WINDOW_BYTES;
/** Together they hold up more than the window of all streams, which would be nobody's any more if they kept it. */
const STOPPED = SESSION_WINDOW_BYTES / STREAM_WINDOW_BYTES + 2;

describe.each(WAYS)('over $transport, encrypted: $encrypted', (way) => {
  const connect = (options: Partial<ConnectOptions> = {}) => connectBy(way, options);

  test('bytes come back as they were sent', async () => {
    const { tunnel } = await connect();
    const stream = await tunnel.open('echo');
    const sent = Buffer.alloc(
      3_000_000,
      Uint8Array.from({ length: 251 }, (_, index) => index),
    );

    stream.end(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);

    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  });

  test('a reader that stops bounds what the agent produces, and holds up nobody else', async () => {
    const { tunnel, agent } = await connect();
    const stopped = await tunnel.open(`source:${BULK_BYTES}`);
    stopped.pause();
    await until(() => agent.produced() > 1_000_000, 'the agent has produced a window');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(agent.produced()).toBeLessThan(4_000_000);

    const others = await Promise.all(Array.from({ length: STOPPED }, () => tunnel.open(`source:${BULK_BYTES}`)));
    for (const other of others) other.pause();
    const free = await tunnel.open('source:3000000');
    free.end();
    expect(await countBytes(free)).toBe(3_000_000);
    // The others have filled their windows and wait: what is produced from here on is the stopped one's.
    const before = agent.produced();
    stopped.resume();
    await until(() => agent.produced() > before + BULK_BYTES / 2, 'the stopped one goes on');
    for (const stream of [stopped, ...others]) stream.destroy();
    await until(() => tunnel.openStreams === 0, 'destroyed streams are gone');
  });

  test('an agent that stops reading bounds what the gateway produces', async () => {
    const stalled = Promise.withResolvers<Duplex>();
    const { tunnel } = await connect({ onStream: (offered) => stalled.resolve(offered.accept()) });
    const stream = await tunnel.open('stalled');
    const held = await stalled.promise;
    let produced = 0;
    const producing = produce(stream, BULK_BYTES, (bytes) => {
      produced += bytes;
    });

    await until(() => produced > 1_000_000, 'a window is full');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(produced).toBeLessThan(4_000_000);
    expect(await countBytes(held)).toBe(BULK_BYTES);
    await producing;
  });

  test('keystrokes pass beside a bulk stream', async () => {
    const { tunnel } = await connect();
    const echo = await tunnel.open('echo');
    const bulk = await tunnel.open(`source:${3 * BULK_BYTES}`);
    let came = 0;
    bulk.on('data', ({ length }: Buffer) => {
      came += length;
    });
    bulk.resume();

    const overtook: number[] = [];
    while (!bulk.readableEnded && overtook.length < 200) {
      const before = came;
      await roundTrip(echo);
      overtook.push(came - before);
    }
    echo.end();
    await until(() => bulk.readableEnded, 'the bulk has come');

    expect(came).toBe(3 * BULK_BYTES);
    // Bytes and not time: an echo that queued behind the bulk would wait for all of its window.
    expect(percentile(overtook, 0.5)).toBeLessThan(STREAM_WINDOW_BYTES);
  });
});
