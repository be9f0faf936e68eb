/** Forwards through a real agent process. */
import { createServer, type Server } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealAgent, startRealAgent } from '../../../testing/tunnels/real-agent.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { agentForwards } from './agent-forward.ts';

let agent: RealAgent;
let closed: RealAgent;
let server: Server;
let port: number;
beforeAll(async () => {
  [agent, closed] = await Promise.all([startRealAgent(), startRealAgent({ config: 'forward: false\n' })]);
  server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(async () => {
  server?.close();
  await Promise.all([agent?.close(), closed?.close()]);
});

function forwardsOf({ reach, resource, login, who }: RealAgent, signal?: AbortSignal) {
  return agentForwards(reach, { resource, login, who, ...(signal ? { signal } : {}) });
}

test('bytes go both ways, as many as there are', async () => {
  const forwards = forwardsOf(agent);
  const stream = await forwards.open({ type: 'tcp', host: 'localhost', port });
  const sent = Buffer.alloc(20_000_000, 'all sorts of bytes \0\xff');
  stream.end(sent);

  expect((await buffer(stream)).equals(sent)).toBe(true);
  forwards.close();
});

test('all of them end with the session', async () => {
  const session = new AbortController();
  const forwards = forwardsOf(agent, session.signal);
  const streams = await Promise.all([1, 2, 3].map(() => forwards.open({ type: 'tcp', host: '127.0.0.1', port })));
  const ends = streams.map((stream) => text(stream).catch(() => 'cut'));
  session.abort();

  expect(await Promise.all(ends)).toEqual(['cut', 'cut', 'cut']);
  await expect(forwards.open({ type: 'tcp', host: '127.0.0.1', port })).rejects.toThrow();
});

test('why not is said in words: by the agent, by its file, and of an agent from before', async () => {
  const forwards = forwardsOf(agent);
  await expect(forwards.open({ type: 'socket', path: '/no/such' })).rejects.toMatchObject({
    code: 'target_unreachable',
    message: `/no/such cannot be reached as '${agent.login}': there is no such socket`,
  });
  await expect(forwards.open({ type: 'tcp', host: '169.254.169.254', port: 80 })).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining('credentials of a cloud'),
  });
  await expect(forwardsOf(closed).open({ type: 'tcp', host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining("'forward: false' in "),
  });
  const said = new StreamRefused('not_found', "this agent knows no target 'forward'");
  const toAgent = () => Promise.reject(new AppError('target_unreachable', 'could not get there', { cause: said }));
  await expect(
    forwardsOf({ ...agent, reach: { toAgent } }).open({ type: 'tcp', host: '127.0.0.1', port }),
  ).rejects.toThrow('update the agent on web-1');
});
