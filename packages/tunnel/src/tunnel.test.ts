import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { connectBy, WAYS } from '../testing/four-ways.ts';
import { countBytes, greeted, produce, readText, until } from '../testing/streams.ts';
import { newAgentKey, TEST_HELLO } from '../testing/test-agent.ts';
import type { ConnectOptions } from './connect-tunnel.ts';
import { agentKeyOf } from './handshake/agent-key.ts';
import { StreamRefused, TunnelError } from './tunnel-error.ts';

describe.each(WAYS)('over $transport, encrypted: $encrypted', (way) => {
  const connect = (options: Partial<ConnectOptions> = {}) => connectBy(way, options);

  test('the gateway learns the proven key and what the agent says of itself', async () => {
    const key = newAgentKey();
    const { tunnel } = await connect({ key });

    expect(tunnel.agentKey).toEqual(agentKeyOf(key));
    expect(tunnel.hello).toEqual(TEST_HELLO);
    expect(tunnel.transport).toBe(way.transport);
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

  test('the word that a stream was taken travels with its first bytes, or alone once they are long in coming', async () => {
    const taken: Duplex[] = [];
    const onStream: ConnectOptions['onStream'] = (offered) => void taken.push(offered.acceptWithAnswer());
    const { tunnel, agent } = await connect({ onStream, limits: { withAnswerMs: 600_000 } });
    const { stream, accepted } = tunnel.openEarly('one');
    let isTaken = false;
    void accepted.then(() => {
      isTaken = true;
    });
    await until(() => taken.length === 1, 'the agent has the stream');
    // Whatever was said before is there.
    await agent.ping();
    expect(isTaken).toBe(false);
    taken[0]!.end('answer');
    expect(await readText(stream)).toBe('answer');
    await accepted;

    const later = await connect({ onStream, limits: { withAnswerMs: 1 } });
    const silent = await later.tunnel.open('two');
    silent.destroy();
  });

  test('a stream that both sides have ended is cut at neither, whoever was the last', async () => {
    const seen: unknown[] = [];
    const follow = (stream: Duplex) =>
      stream.on('error', (error) => seen.push(error)).once('close', () => seen.push('closed'));
    const onStream: ConnectOptions['onStream'] = (offered, { target }) => {
      const stream = follow(offered.acceptWithAnswer());
      if (target === 'agent-last') stream.resume().once('end', () => stream.end('answer'));
      else stream.resume().end('answer');
    };
    const { tunnel } = await connect({ onStream });

    const { stream } = tunnel.openEarly('agent-last');
    follow(stream).end('question');
    expect(await readText(stream)).toBe('answer');
    await until(() => seen.length === 2, 'both ends are over');
    const later = await tunnel.open('gateway-last');
    expect(await readText(follow(later))).toBe('answer');
    later.end('question');
    await until(() => seen.length === 4, 'both ends are over again');

    expect(seen).toEqual(['closed', 'closed', 'closed', 'closed']);
  });

  test('metadata reaches the agent whole', async () => {
    const { tunnel } = await connect();
    const metadata = { user: 'zoë 🚪', session: 'a'.repeat(5000), empty: '' };

    const stream = await tunnel.open('metadata', { metadata });

    expect(JSON.parse(await readText(stream))).toEqual(metadata);
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

    for (const side of [tunnel, agent]) {
      const from = performance.now();
      const measured = await side.ping();
      // No constant would do: it is never longer than what passes while it is measured.
      expect(measured).toBeGreaterThan(0);
      expect(measured).toBeLessThanOrEqual(performance.now() - from);
    }
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
