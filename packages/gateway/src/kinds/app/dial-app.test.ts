import { type AddressInfo, createServer, type Server } from 'node:net';
import { parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createReach } from '../../reach/create-reach.ts';
import { createAppDialer } from './dial-app.ts';

const OWN_PORT = 3080;
const who = { user: 'ann', session: 's' };
const spec = { insecureSkipVerify: false, ca: '', serverName: '' };
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((socket) => void socket.on('error', () => {}).end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());

function dialerFor(...answers: string[][]) {
  const lookup = vi.fn(async () => answers.shift() ?? []);
  const open = vi.fn(async () => {
    throw new Error('an agent was asked');
  });
  const isUnderBase = (host: string) => host === 'gate.example' || host.endsWith('.gate.example');
  const dialer = createAppDialer(
    createReach({
      agents: { isConnected: () => true, ping: async () => 1, open },
      own: { isUnderBase, ownPorts: () => [OWN_PORT] },
      lookup,
    }),
  );
  const dial = (uri: string, ways: string[] = []) =>
    dialer.dial(
      { address: parseAppUri(uri)!, dialledBy: ways.length === 0 ? 'gateway' : 'agents', ways, spec },
      { who },
    );
  const dialOwned = (uri: string) =>
    dialer.dial({ address: parseAppUri(uri)!, dialledBy: 'agents', ways: [], spec }, { who });
  return { dial, dialOwned, lookup, open };
}

test.each([
  ['169.254.169.254'],
  ['::ffff:169.254.169.254'],
  ['64:ff9b::a9fe:a9fe'],
  ['fd00:ec2::254'],
  ['fe80::1'],
  ['100.100.100.200'],
  ['0.0.0.0'],
])('a name that leads to %s is never dialled, also when it leads elsewhere as well', async (address) => {
  const { dial } = dialerFor([address], ['127.0.0.1', address]);

  await expect(dial(`http://innocent.example:${port}`)).rejects.toMatchObject({ code: 'denied' });
  await expect(dial(`http://innocent.example:${port}`)).rejects.toMatchObject({ code: 'denied' });
});

test.each([
  ['by loopback', 'http://localhost:3080', ['127.0.0.1']],
  ['by another loopback', 'http://x.example:3080', ['127.8.8.8']],
  ['by loopback in IPv6', 'http://x.example:3080', ['::1']],
  ['by loopback wrapped into IPv6', 'http://x.example:3080', ['::ffff:127.0.0.1']],
  ['by its own name', 'http://gate.example:3080', ['203.0.113.7']],
  ['by the name of an application', 'https://wiki.gate.example:3080', ['203.0.113.7']],
])('the gateway is not reached through itself %s', async (_, uri, addresses) => {
  await expect(dialerFor(addresses).dial(uri)).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining('the gateway itself'),
  });
});

test('a name is resolved once, and what was looked at is what is dialled', async () => {
  const { dial, lookup } = dialerFor(['127.0.0.1'], ['169.254.169.254']);

  const stream = await dial(`http://rebinding.example:${port}`);

  expect(lookup).toHaveBeenCalledTimes(1);
  stream.destroy();
});

test('the gateway is not reached through itself by an agent either', async () => {
  const { dial, open } = dialerFor();

  await expect(dial('https://gate.example:3080', ['edge'])).rejects.toMatchObject({ code: 'denied' });
  expect(open).not.toHaveBeenCalled();
});

test('an agent is not sent to where clouds give out credentials either', async () => {
  const { dial, open } = dialerFor();

  await expect(dial('http://169.254.169.254', ['edge'])).rejects.toMatchObject({ code: 'denied' });
  expect(open).not.toHaveBeenCalled();
});

test('what agents offer is not dialled from here while no agent reaches it', async () => {
  const { dialOwned, lookup, open } = dialerFor(['127.0.0.1']);

  await expect(dialOwned(`http://inner.example:${port}`)).rejects.toMatchObject({ code: 'target_unreachable' });
  await expect(dialOwned(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'target_unreachable' });
  expect(lookup).not.toHaveBeenCalled();
  expect(open).not.toHaveBeenCalled();
});
