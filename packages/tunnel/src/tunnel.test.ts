import type { Duplex } from 'node:stream';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectOptions } from './connect-tunnel.ts';
import { agentKeyOf } from './handshake/agent-key.ts';
import { makeCertificate, type TestCertificate } from './testing/certificate.ts';
import { countBytes, greeted, percentile, produce, readText, roundTrip, until } from './testing/streams.ts';
import { newAgentKey, startTestAgent, TEST_HELLO } from './testing/test-agent.ts';
import { startTestGateway } from './testing/test-gateway.ts';
import { StreamRefused, TunnelError } from './tunnel-error.ts';

let certificate: TestCertificate;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  certificate = await makeCertificate();
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const WAYS = [
  { encrypted: false, transport: 'upgrade' },
  { encrypted: true, transport: 'upgrade' },
  { encrypted: false, transport: 'websocket' },
  { encrypted: true, transport: 'websocket' },
] as const;

describe.each(WAYS)('over $transport, encrypted: $encrypted', ({ encrypted, transport }) => {
  async function connect(options: Partial<ConnectOptions> = {}) {
    const gateway = await startTestGateway(encrypted ? { certificate } : {});
    const agent = startTestAgent({
      url: gateway.url,
      transport,
      ca: encrypted ? certificate.ca : undefined,
      ...options,
    });
    cleanUps.push(
      () => gateway.close(),
      () => agent.close({ drainMs: 0 }),
    );
    return { gateway, agent, tunnel: await gateway.tunnel() };
  }

  test('the gateway learns the proven key and what the agent says of itself', async () => {
    const key = newAgentKey();
    const { tunnel } = await connect({ key });

    expect(tunnel.agentKey).toEqual(agentKeyOf(key));
    expect(tunnel.hello).toEqual(TEST_HELLO);
    expect(tunnel.transport).toBe(transport);
  });

  test('bytes come back as they were sent', async () => {
    const { tunnel } = await connect();
    const stream = await tunnel.open('echo');
    const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251));

    stream.end(sent);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);

    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  });

  test('each direction ends by itself', async () => {
    const { tunnel } = await connect();
    const sink = await tunnel.open('sink');
    await produce(sink, 500_000);
    expect(await readText(sink)).toBe('500000');

    const before = greeted.length;
    const greeting = await tunnel.open('greeting');
    expect(await readText(greeting)).toBe('hello');
    greeting.end(Buffer.alloc(300_000));
    await until(() => greeted.length > before, 'the agent has counted what came after its own end');
    expect(greeted.at(-1)).toBe(300_000);
  });

  test("the agent's refusal comes back with its code and words", async () => {
    const { tunnel } = await connect();

    const error = await tunnel.open('tcp:10.0.0.1:22').catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(StreamRefused);
    expect(error).toMatchObject({ code: 'not_allowed', message: "'tcp:10.0.0.1:22' is not allowed by this agent" });
    await until(() => tunnel.openStreams === 0, 'the refused stream is gone');
  });

  test('a handler that fails refuses without telling its inner words', async () => {
    const { tunnel } = await connect();

    await expect(tunnel.open('broken')).rejects.toMatchObject({
      code: 'failed',
      message: 'the agent failed to open the stream',
    });
  });

  test('metadata reaches the agent whole', async () => {
    const { tunnel } = await connect();
    const metadata = { user: 'zoë 🚪', session: 'a'.repeat(5000), empty: '' };

    const stream = await tunnel.open('metadata', { metadata });

    expect(JSON.parse(await readText(stream))).toEqual(metadata);
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

  test('a stream cut by either side is an error at the other, never an end', async () => {
    const offeredStreams: Duplex[] = [];
    const { tunnel } = await connect({ onStream: (offered) => void offeredStreams.push(offered.accept()) });

    const cutHere = await tunnel.open('one');
    const atAgent = offeredStreams[0]!;
    atAgent.resume();
    const agentSaw = new Promise((resolve) => atAgent.on('error', resolve).on('end', () => resolve('end')));
    cutHere.destroy();
    expect(await agentSaw).toMatchObject({ code: 'reset' });

    const cutThere = await tunnel.open('two');
    cutThere.resume();
    const gatewaySaw = new Promise((resolve) => cutThere.on('error', resolve).on('end', () => resolve('end')));
    offeredStreams[1]!.write('some');
    offeredStreams[1]!.destroy();
    expect(await gatewaySaw).toMatchObject({ code: 'reset' });
    await until(() => tunnel.openStreams === 0, 'both are gone');
  });

  test('a signal ends the waiting, and later the stream', async () => {
    const { tunnel } = await connect();
    const early = new AbortController();
    const waiting = tunnel.open('never', { signal: early.signal });
    early.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');

    const late = new AbortController();
    const stream = await tunnel.open('echo', { signal: late.signal });
    const failed = new Promise((resolve) => stream.on('error', resolve));
    late.abort(new Error('revoked'));
    expect(await failed).toMatchObject({ message: 'revoked' });
    await expect(tunnel.open('echo', { signal: late.signal })).rejects.toThrow('revoked');
    await until(() => tunnel.openStreams === 0, 'nothing is left open');
  });

  test('either side measures the way to the other', async () => {
    const { tunnel, agent } = await connect();

    expect(await tunnel.ping()).toBeGreaterThan(0);
    expect(await agent.ping()).toBeGreaterThan(0);
  });

  test('a closing agent lets streams finish, and takes no new ones', async () => {
    const { tunnel, agent } = await connect();
    const slow = await tunnel.open('source:5000000');
    slow.pause();
    slow.end();
    const echo = await tunnel.open('echo');

    const closing = agent.close({ reason: 'restarting', drainMs: 5_000 });
    await until(() => agent.states.at(-1)?.state === 'connected', 'it is still connected');
    await expect(async () => {
      for (;;) (await tunnel.open('echo')).destroy();
    }).rejects.toMatchObject({ code: 'draining' });
    echo.end('last words');
    expect(await readText(echo)).toBe('last words');
    expect(await countBytes(slow)).toBe(5_000_000);
    await closing;

    expect(await tunnel.closed).toMatchObject({ code: 'closed_by_peer', reason: 'restarting' });
    expect(await agent.closed).toMatchObject({ code: 'closed_here', reason: 'restarting' });
    await expect(tunnel.open('echo')).rejects.toBeInstanceOf(TunnelError);
  });

  test('a drain ends at its time whatever is still open', async () => {
    const { tunnel, agent } = await connect();
    const stuck = await tunnel.open('echo');
    const failed = new Promise((resolve) => stuck.on('error', resolve));

    await agent.close({ drainMs: 200 });

    expect(await failed).toMatchObject({ code: 'reset' });
  });

  test('an agent the gateway sends away stays away', async () => {
    const { tunnel, agent } = await connect();

    await tunnel.close('the agent was removed', { retry: false });

    expect(await agent.closed).toEqual({ code: 'closed_by_peer', reason: 'the agent was removed', retry: false });
  });

  test('an agent comes back to a gateway that drains while its old streams finish', async () => {
    const { gateway, tunnel } = await connect();
    const old = await tunnel.open('echo');

    const closing = tunnel.close('the gateway restarts', { drainMs: 5_000 });
    await until(() => gateway.tunnels.size === 2, 'the agent is here twice');
    old.end('still here');
    expect(await readText(old)).toBe('still here');
    await closing;

    const [fresh] = gateway.tunnels;
    expect(await fresh?.open('echo').then((stream) => stream.destroy() && 'open')).toBe('open');
  });

  test('a connection cut without a word is made anew', async () => {
    const { gateway, tunnel } = await connect();
    const stream = await tunnel.open('echo');
    const failed = new Promise((resolve) => stream.on('error', resolve));

    for (const socket of gateway.sockets) socket.destroy();

    expect(await failed).toMatchObject({ code: 'reset' });
    expect(await tunnel.closed).toMatchObject({ code: 'lost', retry: true });
    await until(() => gateway.tunnels.size === 1 && !gateway.tunnels.has(tunnel), 'there is a new tunnel');
  });
});
