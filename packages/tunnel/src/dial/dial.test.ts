import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../testing/certificate.ts';
import { until } from '../../testing/streams.ts';
import { startTestAgent, type TestAgent } from '../../testing/test-agent.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';
import { upgradeWebSocket } from './upgrade.ts';

const DAY_MS = 86_400_000;

let certificate: TestCertificate;
let other: TestCertificate;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [certificate, other] = await Promise.all([makeCertificate(), makeCertificate(['elsewhere.example'])]);
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function connect(
  gatewayOptions: Parameters<typeof startTestGateway>[0],
  agentOptions: Partial<Parameters<typeof startTestAgent>[0]> = {},
) {
  const gateway = await startTestGateway(gatewayOptions);
  const agent = startTestAgent({ url: gateway.url, ...agentOptions });
  cleanUps.push(
    () => gateway.close(),
    () => agent.close({ drainMs: 0 }),
  );
  return { gateway, agent };
}

async function firstFailure(agent: TestAgent) {
  await until(() => agent.states.some(({ state }) => state === 'waiting'), 'the agent has failed once');
  return agent.states.find(({ state }) => state === 'waiting');
}

describe('trust', () => {
  test('a pinned authority is trusted, however the pin is written', async () => {
    for (const pin of [certificate.pin, `sha256:${certificate.pin.replaceAll(':', '').toLowerCase()}`]) {
      const { gateway } = await connect({ certificate }, { pin });
      expect((await gateway.tunnel()).transport).toBe('upgrade');
    }
  });

  test("the server's own certificate can be pinned", async () => {
    const pin = new X509Certificate(certificate.cert).fingerprint256;

    const { gateway } = await connect({ certificate }, { pin });

    await gateway.tunnel();
  });

  test.each([
    ['has expired', -3 * DAY_MS],
    ['not yet valid', 3 * DAY_MS],
  ])('a certificate that %s is told with its dates and the clock of this machine', async (why, from) => {
    const middle = Date.now() + from;
    const late = await makeCertificate(undefined, middle);

    for (const trust of [{ ca: late.ca }, { pin: late.pin }]) {
      const { agent } = await connect({ certificate: late }, trust);
      const [day, today] = [middle, Date.now()].map((time) => new Date(time).toISOString().slice(0, 10));
      const { reason } = (await firstFailure(agent)) as { reason: string };
      expect(reason).toContain(why);
      expect(reason).toMatch(
        new RegExp(`the gateway's is good from .*${day}.*by the clock of this machine it is ${today}`),
      );
    }
  });

  test('a gateway without the pinned certificate is told nothing', async () => {
    const { gateway, agent } = await connect({ certificate }, { pin: other.pin });

    expect(await firstFailure(agent)).toMatchObject({ reason: expect.stringContaining('does not show the pinned') });
    expect(gateway.failures).toEqual([]);
    expect(gateway.tunnels.size).toBe(0);
  });

  test('a pinned authority does not vouch for another name', async () => {
    const { agent } = await connect({ certificate: other }, { pin: other.pin });

    expect(await firstFailure(agent)).toMatchObject({ reason: expect.stringContaining('Hostname/IP does not match') });
  });

  test('an authority nobody named is not trusted', async () => {
    for (const ca of [undefined, other.ca]) {
      const { gateway, agent } = await connect({ certificate }, { ca });
      expect(await firstFailure(agent)).toMatchObject({ reason: expect.stringMatching(/certificate/) });
      expect(gateway.tunnels.size).toBe(0);
    }
  });

  test('what can never be safe is refused at once', () => {
    const start = (url: string, pin?: string) => () => startTestAgent({ url, pin });

    expect(start('http://gate.example.com/v1/tunnel')).toThrow('plain http is for this machine only');
    expect(start('http://127.0.0.1.example.com/v1/tunnel')).toThrow('plain http is for this machine only');
    expect(start('ftp://localhost/')).toThrow('must be an https address');
    expect(start('https://gate.example.com', 'abc')).toThrow('a pin must be');
  });
});

describe('the way through', () => {
  test('where the plain upgrade does not pass, a websocket does', async () => {
    const passes = (request: { headers: { upgrade?: string } }) => request.headers.upgrade === 'websocket';
    const { gateway, agent } = await connect({ certificate, passes }, { ca: certificate.ca });

    expect((await gateway.tunnel()).transport).toBe('websocket');
    expect(agent.states.at(-1)).toEqual({ state: 'connected', transport: 'websocket' });
  });

  test('where neither passes, the agent says what answered', async () => {
    const { agent } = await connect({ passes: () => false });

    expect(await firstFailure(agent)).toMatchObject({
      reason: 'no tunnel at this address: it answered 404; as a websocket: no tunnel at this address: it answered 404',
    });
  });

  test('a busy gateway is not asked again as a websocket, and has the time it wants', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.upgrade);
      response.writeHead(503, { 'retry-after': '7' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const agent = startTestAgent({ url: `http://127.0.0.1:${port}/v1/tunnel` });
    cleanUps.push(
      async () => server.close(),
      () => agent.close({ drainMs: 0 }),
    );

    expect(await firstFailure(agent)).toMatchObject({
      reason: 'the gateway is busy: it answered 503',
      retryInMs: 7_000,
    });
    expect(asked).toEqual(['tunnel/1']);
  });

  test('a gateway that is not there is no reason to stop', async () => {
    const { gateway, agent } = await connect({});
    await gateway.tunnel();
    await gateway.close();
    await until(() => agent.states.filter(({ state }) => state === 'waiting').length > 2, 'it keeps trying');
    expect(agent.states.at(-1)).not.toMatchObject({ state: 'closed' });

    const back = await startTestGateway({ port: gateway.port });
    cleanUps.push(() => back.close());
    await back.tunnel();
  });

  test('closing while dialling or waiting ends at once', async () => {
    const agent = startTestAgent({ url: 'http://127.0.0.1:1/v1/tunnel', backOff: { baseMs: 60_000, capMs: 60_000 } });
    await firstFailure(agent);

    const start = performance.now();
    await agent.close();

    expect(performance.now() - start).toBeLessThan(10_000);
    expect(agent.states.at(-1)).toEqual({ state: 'closed', reason: 'the agent is stopping' });
  });

  test('a signal ends everything', async () => {
    const stop = new AbortController();
    const { gateway, agent } = await connect({}, { signal: stop.signal });
    const tunnel = await gateway.tunnel();

    stop.abort(new Error('the program ends'));

    expect(await agent.closed).toMatchObject({ code: 'closed_here', reason: 'the program ends' });
    expect(await tunnel.closed).toMatchObject({ code: 'closed_by_peer', reason: 'the program ends' });
  });
});

test('an upgrade that begins when it was given up does not wait for an answer', async () => {
  const silent = createTcpServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  cleanUps.push(async () => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const socket = connectTcp(port, '127.0.0.1');
  await once(socket, 'connect');

  const upgrade = upgradeWebSocket(socket, new URL(`http://127.0.0.1:${port}/v1/tunnel`), AbortSignal.abort());

  await expect(upgrade).rejects.toMatchObject({ code: 'no_tunnel' });
});
