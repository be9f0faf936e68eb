import { afterEach, expect, test } from 'vitest';
import { until } from '../testing/streams.ts';
import { startTestAgent } from '../testing/test-agent.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { BACK_OFF, nextWaitMs, STABLE_MS } from './back-off.ts';

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test('waits are random parts of a doubling time up to a cap', () => {
  const longest = Array.from({ length: 8 }, (_, failures) => nextWaitMs(BACK_OFF, failures, () => 1));
  expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
  expect(nextWaitMs(BACK_OFF, 3, () => 0)).toBe(0);
  expect(nextWaitMs(BACK_OFF, 3, () => 0.25)).toBe(1000);
  expect(nextWaitMs(BACK_OFF, 5000, () => 1)).toBe(20_000);
});

test('waits grow while connections do not hold, and start anew after one that did', async () => {
  let time = 0;
  const gateway = await startTestGateway();
  const agent = startTestAgent({
    url: gateway.url,
    now: () => time,
    random: () => 1,
    backOff: { baseMs: 10, capMs: 1000 },
  });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const lose = async (heldMs: number) => {
    await until(() => gateway.tunnels.size === 1 && agent.states.at(-1)?.state === 'connected', 'it is connected');
    time += heldMs;
    const [tunnel] = gateway.tunnels;
    for (const socket of gateway.sockets) socket.destroy();
    await tunnel?.closed;
    await until(() => agent.states.at(-1)?.state !== 'connected', 'it has noticed');
  };

  for (const heldMs of [0, 0, STABLE_MS - 1, STABLE_MS, 0]) await lose(heldMs);

  const waits = agent.states.flatMap((state) => (state.state === 'waiting' ? [state.retryInMs] : []));
  expect(waits.slice(0, 5)).toEqual([10, 20, 40, 10, 20]);
});

test('a tunnel at its limit says so instead of queueing', async () => {
  const gateway = await startTestGateway({ limits: { maxStreams: 3 } });
  const agent = startTestAgent({ url: gateway.url });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const tunnel = await gateway.tunnel();
  const [first] = await Promise.all([tunnel.open('echo'), tunnel.open('echo'), tunnel.open('echo')]);

  await expect(tunnel.open('echo')).rejects.toMatchObject({ code: 'busy' });
  first.destroy();
  await until(() => tunnel.openStreams === 2, 'one has gone');
  expect(await tunnel.open('echo')).toBeDefined();
});

test('a request no agent could read is refused before it leaves', async () => {
  const gateway = await startTestGateway();
  const agent = startTestAgent({ url: gateway.url });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const tunnel = await gateway.tunnel();
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, '']));

  for (const [target, metadata] of [
    ['', {}],
    ['a b', {}],
    ['x'.repeat(513), {}],
    ['tunnel.control', {}],
    ['echo', many],
    ['echo', { long: 'x'.repeat(8193) }],
    ['echo', { a: '\n'.repeat(8000), b: '\n'.repeat(8000) }],
  ] as const) {
    await expect(tunnel.open(target, { metadata })).rejects.toMatchObject({ code: 'bad_request' });
  }
  expect(tunnel.openStreams).toBe(0);
  expect(await tunnel.open('echo', { metadata: { a: 'x'.repeat(8000), b: 'y'.repeat(8000) } })).toBeDefined();
});

test('a stream the agent never answers is given up', async () => {
  const gateway = await startTestGateway({ limits: { openMs: 80 } });
  const agent = startTestAgent({ url: gateway.url });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const tunnel = await gateway.tunnel();

  await expect(tunnel.open('never')).rejects.toMatchObject({ code: 'timed_out' });
  await until(() => tunnel.openStreams === 0, 'it is gone');
});

test('an agent learns that the gateway gave a stream up while it was still dialling', async () => {
  const gone = Promise.withResolvers<unknown>();
  const gateway = await startTestGateway();
  const agent = startTestAgent({
    url: gateway.url,
    onStream: (_offered, { signal }) => signal.addEventListener('abort', () => gone.resolve(signal.reason)),
  });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const tunnel = await gateway.tunnel();
  const stop = new AbortController();

  const opening = tunnel.open('slow', { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);

  await expect(opening).rejects.toMatchObject({ name: 'AbortError' });
  expect(await gone.promise).toMatchObject({ code: 'reset' });
});

test('an agent that asks for an hour to say farewell gets no more than the gateway allows', async () => {
  const gateway = await startTestGateway({ limits: { farewellMs: 100 } });
  const agent = startTestAgent({ url: gateway.url });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const tunnel = await gateway.tunnel();
  const stream = await tunnel.open('echo');
  const cut = new Promise((resolve) => stream.on('error', () => {}).on('close', resolve));

  const closing = agent.close({ drainMs: 3_600_000 });

  await cut;
  await closing;
  expect(await tunnel.closed).toMatchObject({ code: 'closed_by_peer' });
});
