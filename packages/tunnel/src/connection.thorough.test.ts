import { afterEach, expect, test } from 'vitest';
import { startWire } from '../testing/hostile.ts';
import { until } from '../testing/streams.ts';
import { startTestAgent } from '../testing/test-agent.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const cleanUps: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test.each(['upgrade', 'websocket'] as const)(
  'both sides notice a %s that went silent, and the agent returns',
  async (transport) => {
    const limits = { pingEveryMs: 40, silentMs: 100 };
    const gateway = await startTestGateway({ limits });
    const wire = await startWire(gateway.port);
    const agent = startTestAgent({ url: `http://127.0.0.1:${wire.port}/v1/tunnel`, limits, transport });
    cleanUps.push(
      () => gateway.close(),
      () => wire.close(),
      () => agent.close({ drainMs: 0 }),
    );
    const tunnel = await gateway.tunnel();
    const stream = await tunnel.open('echo');
    const failed = new Promise((resolve) => stream.once('error', resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(gateway.tunnels.has(tunnel)).toBe(true);

    wire.goSilent();

    expect(await tunnel.closed).toMatchObject({ code: 'silent' });
    expect(await failed).toMatchObject({ code: 'reset' });
    await until(() => agent.states.some(({ state }) => state === 'waiting'), 'the agent has noticed too');
    expect(agent.states.find(({ state }) => state === 'waiting')).toMatchObject({ reason: 'the peer fell silent' });
    await until(() => gateway.tunnels.size === 1, 'it is back');
  },
);

test('a pause of our own is not taken for the silence of the peer', async () => {
  const limits = { pingEveryMs: 30, silentMs: 90 };
  const gateway = await startTestGateway({ limits });
  const agent = startTestAgent({ url: gateway.url, limits });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const tunnel = await gateway.tunnel();

  for (let pause = 0; pause < 3; pause++) {
    const end = performance.now() + 300;
    while (performance.now() < end);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  expect(gateway.tunnels.has(tunnel)).toBe(true);
});

test('three thousand streams opened and dropped do not count as an attack', async () => {
  const gateway = await startTestGateway();
  const agent = startTestAgent({ url: gateway.url });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  const tunnel = await gateway.tunnel();

  for (let round = 0; round < 6; round++) {
    const streams = await Promise.all(Array.from({ length: 500 }, () => tunnel.open('source:100000')));
    for (const stream of streams) stream.destroy();
  }

  await until(() => tunnel.openStreams === 0, 'all are gone');
  expect(gateway.tunnels.has(tunnel)).toBe(true);
  expect(await tunnel.ping()).toBeGreaterThan(0);
});
