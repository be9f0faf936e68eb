import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { CHALLENGE_BYTES, PROOF_BYTES, TUNNEL_SUBPROTOCOL } from '@gatehouse/contract/reach/tunnel/handshake';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../testing/certificate.ts';
import { closedAfter, rawLink, startFalseGateway, startRelay } from '../../testing/hostile.ts';
import { hearChallenge, hearVerdict, proofFor } from '../../testing/spoken-by-hand.ts';
import { until } from '../../testing/streams.ts';
import { newAgentKey, startTestAgent, TEST_HELLO } from '../../testing/test-agent.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';
import { writeMessage } from '../messages.ts';

let certificate: TestCertificate;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  certificate = await makeCertificate();
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function gatewayWith(options: Parameters<typeof startTestGateway>[0] = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({ limits: { handshakeMs: 300 }, ...options });
  cleanUps.push(() => gateway.close());
  return gateway;
}

const BAD_PROOF = {
  type: 'refused',
  code: 'bad_proof',
  reason: 'the proof does not fit the key or this connection',
  retry: true,
  retryAfterMs: 30_000,
};

describe('the gateway', () => {
  test('accepts an honest proof spoken by hand', async () => {
    const { url } = await gatewayWith();
    const { stream } = await rawLink(url);
    const { bytes } = await hearChallenge(stream);

    await writeMessage(stream, proofFor(bytes, newAgentKey()));

    expect(await hearVerdict(stream)).toEqual({ type: 'accepted' });
    stream.destroy();
  });

  test('refuses a proof signed with another key than it names', async () => {
    const gateway = await gatewayWith();
    const { stream } = await rawLink(gateway.url);
    const { bytes } = await hearChallenge(stream);

    await writeMessage(stream, proofFor(bytes, newAgentKey(), { claim: newAgentKey() }));

    expect(await hearVerdict(stream)).toEqual(BAD_PROOF);
    await closedAfter(stream);
    expect(gateway.tunnels.size).toBe(0);
    expect(gateway.failures).toMatchObject([{ code: 'refused' }]);
  });

  test('refuses a forged signature, and a key that is no point of the curve', async () => {
    const { url } = await gatewayWith();
    const key = newAgentKey();
    for (const lie of [
      { signature: Buffer.alloc(64).toString('base64url') },
      {
        payload: Buffer.from(
          JSON.stringify({ version: 1, key: `${'A'.repeat(42)}c`, audience: 'x', hello: TEST_HELLO }),
        ).toString('base64url'),
      },
    ]) {
      const { stream } = await rawLink(url);
      const { bytes } = await hearChallenge(stream);
      await writeMessage(stream, { ...proofFor(bytes, key), ...lie });
      expect(await hearVerdict(stream)).toEqual(BAD_PROOF);
      stream.destroy();
    }
  });

  test('refuses a proof replayed from another connection', async () => {
    const { url } = await gatewayWith();
    const key = newAgentKey();
    const first = await rawLink(url);
    const heard = await hearChallenge(first.stream);
    const recorded = proofFor(heard.bytes, key);
    await writeMessage(first.stream, recorded);
    expect(await hearVerdict(first.stream)).toEqual({ type: 'accepted' });

    const second = await rawLink(url);
    await hearChallenge(second.stream);
    await writeMessage(second.stream, recorded);

    expect(await hearVerdict(second.stream)).toEqual(BAD_PROOF);
    first.stream.destroy();
    second.stream.destroy();
  });

  test('refuses a proof that a machine in the middle passed on', async () => {
    const gateway = await gatewayWith({ certificate });
    const relay = await startRelay(certificate, gateway.url);
    const agent = startTestAgent({
      url: `https://localhost:${relay.port}/v1/tunnel`,
      ca: certificate.ca,
      transport: 'upgrade',
    });
    cleanUps.push(relay.close, () => agent.close({ drainMs: 0 }));

    await until(() => agent.states.some(({ state }) => state === 'waiting'), 'the agent was refused');

    expect(agent.states.at(-1)).toMatchObject({ reason: `the gateway refused this agent: ${BAD_PROOF.reason}` });
    expect(gateway.tunnels.size).toBe(0);
  });

  test('behind a balancer that ends TLS takes the same proof unbound, and holds it to the name that was dialled', async () => {
    const dialled: string[] = [];
    const isAudience = (host: string) => {
      dialled.push(host);
      return dialled.length > 1;
    };
    const gateway = await gatewayWith({ certificate, binding: 'none', isAudience });
    const balancer = await startRelay(certificate, gateway.url);
    const url = `https://localhost:${balancer.port}/v1/tunnel`;
    const agents = [0, 1].map(() => startTestAgent({ url, ca: certificate.ca, transport: 'upgrade' }));
    cleanUps.push(balancer.close, ...agents.map((agent) => () => agent.close({ drainMs: 0 })));

    await until(() => gateway.tunnels.size === 1 && gateway.failures.length === 1, 'one is in, one is out');

    expect(dialled).toEqual([`localhost:${balancer.port}`, `localhost:${balancer.port}`]);
    expect(gateway.failures).toMatchObject([{ message: `this gateway is not 'localhost:${balancer.port}'` }]);
  });

  test('says so when the agent speaks another version', async () => {
    const { url } = await gatewayWith();
    const { stream } = await rawLink(url);
    const { bytes } = await hearChallenge(stream);

    await writeMessage(stream, proofFor(bytes, newAgentKey(), { payload: { version: 2 } }));

    expect(await hearVerdict(stream)).toMatchObject({ code: 'version', retry: true });
    stream.destroy();
  });

  test.each<[string, (stream: Duplex) => void]>([
    ['is silent', () => {}],
    ['drips', (stream) => void setInterval(() => stream.write('\0'), 100).unref()],
    ['announces a huge message', (stream) => stream.write(Buffer.from([0x7f, 0xff, 0xff, 0xff]))],
    ['announces one byte too many', (stream) => stream.write(lengthOf(PROOF_BYTES + 1))],
    ['announces nothing', (stream) => stream.write(lengthOf(0))],
    ['sends garbage', (stream) => stream.write(Buffer.alloc(100_000, 0xaa))],
    ['speaks HTTP/2 at once', (stream) => stream.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['sends JSON of no use', (stream) => void writeMessage(stream, { type: 'challenge' }).catch(() => {})],
    ['half closes', (stream) => stream.end()],
  ])('cuts an agent that %s', async (_name, speak) => {
    const gateway = await gatewayWith();
    const { stream } = await rawLink(gateway.url);

    speak(stream);

    expect(await closedAfter(stream)).toBeLessThan(10_000);
    await until(() => gateway.sockets.size === 0, 'the socket is gone');
    expect(gateway.failures).toHaveLength(1);
  });

  test('cuts an agent that speaks before it is accepted', async () => {
    const gateway = await gatewayWith();
    const { stream } = await rawLink(gateway.url);
    const { bytes } = await hearChallenge(stream);

    stream.cork();
    void writeMessage(stream, proofFor(bytes, newAgentKey()));
    stream.write('and more');
    stream.uncork();

    await closedAfter(stream);
    expect(gateway.failures).toMatchObject([{ code: 'bad_peer' }]);
  });

  test('cuts an accepted agent that never serves streams', async () => {
    const gateway = await gatewayWith();
    const { stream } = await rawLink(gateway.url);
    const { bytes } = await hearChallenge(stream);
    await writeMessage(stream, proofFor(bytes, newAgentKey()));

    expect(await closedAfter(stream)).toBeLessThan(10_000);
    expect(gateway.failures).toMatchObject([{ code: 'timed_out' }]);
  });

  test.each([
    ['another protocol', { upgrade: 'h2c' }, 426],
    ['a websocket of another kind', { upgrade: 'websocket', 'sec-websocket-protocol': 'chat' }, 426],
    ['a malformed websocket', { upgrade: 'websocket', 'sec-websocket-protocol': TUNNEL_SUBPROTOCOL }, 400],
  ])('answers a request for %s', async (_name, headers, status) => {
    const gateway = await gatewayWith();
    const answered = Promise.withResolvers<number | undefined>();

    const asked = request(gateway.url, { headers: { connection: 'Upgrade', ...headers } });
    asked
      .on('response', (response) => answered.resolve(response.statusCode))
      .on('error', answered.reject)
      .end();

    expect(await answered.promise).toBe(status);
    await until(() => gateway.failures.length === 1, 'the caller of the door knows');
  });
});

describe('the agent', () => {
  test('hears why it is refused, and stays away when told to', async () => {
    const gateway = await gatewayWith({
      authorize: ({ hostname }) => ({
        accept: false,
        code: 'unknown_agent',
        reason: `'${hostname}' was removed`,
        retry: false,
      }),
    });
    const agent = startTestAgent({ url: gateway.url });

    expect(await agent.closed).toEqual({
      code: 'refused',
      reason: "the gateway refused this agent: 'web-1' was removed",
      retry: false,
      retryAfterMs: undefined,
    });
    expect(gateway.failures).toMatchObject([{ code: 'refused', message: "'web-1' was removed", retry: false }]);
  });

  test('comes back after the time the gateway named', async () => {
    let asked = 0;
    const gateway = await gatewayWith({
      authorize: () => {
        asked += 1;
        if (asked > 1) return { accept: true };
        return { accept: false, code: 'busy', reason: 'too many at once', retry: true, retryAfterMs: 150 };
      },
    });
    const agent = startTestAgent({ url: gateway.url, random: () => 0 });
    cleanUps.push(() => agent.close({ drainMs: 0 }));

    await gateway.tunnel();

    expect(agent.states[1]).toEqual({
      state: 'waiting',
      reason: 'the gateway refused this agent: too many at once',
      retryInMs: 150,
    });
  });

  test.each<[string, (stream: Duplex) => void]>([
    ['closes', (stream) => stream.end()],
    ['sends garbage', (stream) => stream.write(Buffer.alloc(100_000, 0xaa))],
    ['announces a huge message', (stream) => stream.write(lengthOf(CHALLENGE_BYTES + 1))],
    ['accepts without a challenge', (stream) => void writeMessage(stream, { type: 'accepted' }).catch(() => {})],
    [
      'asks for a binding the connection has not',
      (stream) =>
        void writeMessage(stream, { type: 'challenge', version: 1, nonce: 'A'.repeat(43), binding: 'tls-exporter' }),
    ],
    [
      'accepts and then talks nonsense',
      (stream) => {
        void writeMessage(stream, { type: 'challenge', version: 1, nonce: 'A'.repeat(43), binding: 'none' });
        stream.once('data', () => {
          void writeMessage(stream, { type: 'accepted' }).then(() => stream.write(Buffer.alloc(5000, 0x55)));
        });
      },
    ],
  ])('gives up and tries again when the gateway %s', async (_name, speak) => {
    const gateway = await startFalseGateway(speak);
    const agent = startTestAgent({ url: `http://127.0.0.1:${gateway.port}/v1/tunnel`, transport: 'upgrade' });
    cleanUps.push(gateway.close, () => agent.close({ drainMs: 0 }));

    await until(() => agent.states.filter(({ state }) => state === 'waiting').length > 1, 'it has tried twice');
  });
});

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}
