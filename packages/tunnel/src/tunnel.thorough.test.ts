import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ConnectOptions } from './connect-tunnel.ts';
import { connectBy, WAYS } from './testing/four-ways.ts';
import { countBytes, percentile, produce, roundTrip, until } from './testing/streams.ts';

describe.each(WAYS)('over $transport, encrypted: $encrypted', (way) => {
  const connect = (options: Partial<ConnectOptions> = {}) => connectBy(way, options);

  test('bytes come back as they were sent', async () => {
    const { tunnel } = await connect();
    const stream = await tunnel.open('echo');
    const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));

    stream.end(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);

    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  });

  test('a reader that stops bounds what the agent produces, and holds up nobody else', async () => {
    const { tunnel, agent } = await connect();
    const stopped = await tunnel.open('source:50000000');
    stopped.pause();
    await until(() => agent.produced() > 1_000_000, 'the agent has produced a window');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(agent.produced()).toBeLessThan(4_000_000);

    const others = await Promise.all(Array.from({ length: 30 }, () => tunnel.open('source:50000000')));
    for (const other of others) other.pause();
    const free = await tunnel.open('source:3000000');
    free.end();
    expect(await countBytes(free)).toBe(3_000_000);
    stopped.resume();
    await until(() => stopped.readableFlowing === true && agent.produced() > 40_000_000, 'the stopped one goes on');
    for (const stream of [stopped, ...others]) stream.destroy();
    await until(() => tunnel.openStreams === 0, 'destroyed streams are gone');
  });

  test('an agent that stops reading bounds what the gateway produces', async () => {
    const stalled = Promise.withResolvers<Duplex>();
    const { tunnel } = await connect({ onStream: (offered) => stalled.resolve(offered.accept()) });
    const stream = await tunnel.open('stalled');
    const held = await stalled.promise;
    let produced = 0;
    const producing = produce(stream, 50_000_000, (bytes) => {
      produced += bytes;
    });

    await until(() => produced > 1_000_000, 'a window is full');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(produced).toBeLessThan(4_000_000);
    expect(await countBytes(held)).toBe(50_000_000);
    await producing;
  });

  test('keystrokes pass beside a bulk stream', async () => {
    const { tunnel } = await connect();
    const echo = await tunnel.open('echo');
    const bulk = await tunnel.open('source:60000000');
    const counted = countBytes(bulk);

    const times: number[] = [];
    while (!bulk.readableEnded && times.length < 200) times.push(await roundTrip(echo));
    echo.end();

    expect(await counted).toBe(60_000_000);
    expect(percentile(times, 0.5)).toBeLessThan(50);
  });
});
