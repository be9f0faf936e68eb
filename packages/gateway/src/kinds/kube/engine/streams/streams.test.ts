import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readKubeRequest } from '../kube-request.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import { type ExecChannels, finishExec } from './channels.ts';
import {
  acceptExec,
  acceptForward,
  type Purpose,
  readUpgrade,
  type StreamKind,
  WEBSOCKET_FORWARD_PROTOCOL,
} from './client-upgrade.ts';
import { openExec, openForward, upgradeRequest } from './cluster-upgrade.ts';
import { channelsOf, execTarget, readExecRequest } from './exec-request.ts';
import { forwardPorts } from './forward-ports.ts';

type Upgrade = (raw: IncomingMessage, socket: Duplex, rest: Buffer) => void | Promise<void>;

let server: Server;
let onUpgrade: Upgrade = () => {};
const cleanups: (() => void)[] = [];

beforeAll(async () => {
  server = createServer().on('upgrade', (raw, socket, rest) => {
    socket.on('error', () => {});
    void onUpgrade(raw, socket, rest);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});
afterAll(() => {
  for (const clean of cleanups.splice(0)) clean();
  server.close();
});

/** As towards a cluster; only what `protocols` has is offered, where given. */
async function dial(carrier: StreamKind['carrier'], purpose: Purpose, protocols?: string) {
  const asked = upgradeRequest(carrier, purpose, { isLast: true });
  const headers = Object.fromEntries(asked.headers);
  if (protocols !== undefined) headers['Sec-WebSocket-Protocol'] = protocols;
  const sent = request({ port: (server.address() as AddressInfo).port, path: '/x', method: asked.method, headers });
  sent.end();
  const [answer, stream, rest] = (await once(sent, 'upgrade')) as [IncomingMessage, Duplex, Buffer];
  cleanups.push(() => stream.destroy());
  const header = (name: string) => answer.headers[name] as string | undefined;
  return { upgraded: { stream, rest }, kind: { carrier, protocol: asked.check(header) } };
}

const ALL = ['error', 'stdin', 'stdout', 'stderr', 'resize'] as const;

async function execPair(carrier: StreamKind['carrier'], protocols?: string) {
  const accepted = Promise.withResolvers<ExecChannels>();
  onUpgrade = (raw, socket, rest) => {
    acceptExec({ raw, socket, rest }, readUpgrade(raw, 'exec'), ALL).then(accepted.resolve, accepted.reject);
  };
  const { upgraded, kind } = await dial(carrier, 'exec', protocols);
  const cluster = await openExec(upgraded, kind, ALL);
  return { client: await accepted.promise, cluster };
}

async function textOf(stream: Duplex | undefined): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream ?? []) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

describe.each([
  ['SPDY', 'spdy', undefined],
  ['websocket v5', 'websocket', undefined],
  ['websocket v4', 'websocket', 'v4.channel.k8s.io'],
] as const)('an exec over %s', (words, carrier, protocols) => {
  test('carries what is typed, sizes and both outputs, and the status comes last and word for word', async () => {
    const { client, cluster } = await execPair(carrier, protocols);
    const status = Buffer.from('{"status":"Failure", "details":{"causes":[{"reason":"ExitCode","message":"7"}]}}');
    const heard = Promise.all(
      [client.streams.stdin, client.streams.resize].map(async (s) => (await once(s as Duplex, 'data'))[0]),
    );
    cluster.streams.stdin?.write('typed');
    cluster.streams.resize?.write('{"Width":80,"Height":24}');
    expect((await heard).map(String)).toEqual(['typed', '{"Width":80,"Height":24}']);

    const order: string[] = [];
    cluster.streams.stdout?.on('data', () => order.push('out'));
    cluster.streams.error.on('data', () => order.push('status'));
    const told = Promise.all([cluster.streams.stdout, cluster.streams.stderr, cluster.streams.error].map(textOf));
    client.streams.stdout?.write('printed');
    client.streams.stderr?.write('complained');
    void finishExec(client, status);

    expect(await told).toEqual(['printed', 'complained', status.toString()]);
    expect(order).toEqual(['out', 'status']);
    expect([client.protocol, cluster.protocol]).toEqual([words, words]);
    cluster.close();
    expect(await client.closed).toBeUndefined();
  });

  test('holds back who prints faster than is read', async () => {
    const { client, cluster } = await execPair(carrier, protocols);
    const piece = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    const print = async () => {
      for (; written < 512 * piece.length; written += piece.length)
        if (!client.streams.stdout?.write(piece)) {
          const drained = once(client.streams.stdout as Duplex, 'drain');
          if (await Promise.race([drained.then(() => false), quiet()])) return;
        }
    };
    await print();

    // What the system keeps between two sockets, and not all of it.
    expect(written).toBeLessThan(400 * piece.length);
    let read = 0;
    const done = (async () => {
      for await (const part of cluster.streams.stdout ?? []) read += (part as Buffer).length;
    })();
    void finishExec(client, Buffer.from('{}'));
    await done;
    expect(read).toBe(written + piece.length);
  });

  test('is cut for who takes nothing, not even the reason', async () => {
    const { client, cluster } = await execPair(carrier, protocols);
    const piece = Buffer.alloc(64 * 1024, 'x');
    // Nobody reads it: what fits between two sockets is full after a while.
    for (let pieces = 0; pieces < 400; pieces += 1) client.streams.stdout?.write(piece);
    cluster.streams.stdout?.pause();
    await finishExec(client, Buffer.from('{}'), 20);

    expect(await client.closed).toMatch(/cut|closed|broke/);
  });

  test('is told that the other side is gone', async () => {
    const { client, cluster } = await execPair(carrier, protocols);
    const end = textOf(client.streams.stdin);
    cluster.destroy();

    expect(await end).toBe('');
    expect(await client.closed).toMatch(/closed|broke/);
  });
});

/** Nothing has moved for some turns. */
async function quiet(): Promise<boolean> {
  for (let turns = 0; turns < 2_000; turns += 1) await turn();
  return true;
}

test.each([
  ['SPDY', 'spdy', undefined],
  ['websocket v5', 'websocket', undefined],
] as const)('%s tells the end of stdin', async (_, carrier, protocols) => {
  const { client, cluster } = await execPair(carrier, protocols);
  cluster.streams.stdin?.end('all of it');

  expect(await textOf(client.streams.stdin)).toBe('all of it');
});

describe('a client that upgrades', () => {
  const websocket = { 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-version': '13' };

  test.each<[string, string, Record<string, string>, Purpose, RegExp]>([
    ['to something else', 'GET', { upgrade: 'h2c' }, 'exec', /SPDY\/3\.1 or a websocket/],
    ['without saying how', 'POST', { upgrade: 'SPDY/3.1' }, 'exec', /v4\.channel\.k8s\.io/],
    [
      'to an old protocol',
      'POST',
      { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v2.channel.k8s.io' },
      'exec',
      /v4/,
    ],
    [
      'to exec for a port',
      'POST',
      { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
      'forward',
      /portforward/,
    ],
    [
      'with a key that is none',
      'GET',
      { ...websocket, upgrade: 'websocket', 'sec-websocket-key': 'x' },
      'exec',
      /standard/,
    ],
    ['by POST to a websocket', 'POST', { ...websocket, upgrade: 'websocket' }, 'exec', /standard/],
  ])('%s is refused in words', (_, method, headers, purpose, words) => {
    expect(() => readUpgrade({ method, headers }, purpose)).toThrow(words);
  });

  test('gets the newest of what it offers', () => {
    const headers = {
      ...websocket,
      upgrade: 'WebSocket',
      'sec-websocket-protocol': 'x, v4.channel.k8s.io,v5.channel.k8s.io',
    };
    expect(readUpgrade({ method: 'GET', headers }, 'exec')).toEqual({
      carrier: 'websocket',
      protocol: 'v5.channel.k8s.io',
    });
  });
});

describe('a cluster that answers an upgrade', () => {
  const yes = { upgrade: 'websocket', 'sec-websocket-accept': '?', 'sec-websocket-protocol': 'v5.channel.k8s.io' };

  test.each<[string, StreamKind['carrier'], Record<string, string>, RegExp]>([
    ['with another protocol', 'spdy', { upgrade: 'websocket' }, /another protocol than SPDY/],
    ['with another stream protocol', 'spdy', { upgrade: 'spdy/3.1', 'x-stream-protocol-version': 'v1' }, /'v1'/],
    ['with a key of its own', 'websocket', yes, /not asked for/],
  ])('%s is not believed', (_, carrier, headers, words) => {
    expect(() => upgradeRequest(carrier, 'exec').check((name) => headers[name])).toThrow(words);
  });
});

describe('an exec in a query', () => {
  const read = (query: string, sub = 'exec') =>
    readExecRequest(readKubeRequest('POST', `/api/v1/namespaces/shop/pods/web-1/${sub}?${query}`));

  test('is read and written out again', () => {
    const exec = read(
      'command=sh&command=-c&command=echo+%22a%26b%22&container=c&stdin=1&stdout=TRUE&stderr&tty=yes&odd=1',
    );
    expect(exec).toEqual({
      does: 'exec',
      namespace: 'shop',
      pod: 'web-1',
      container: 'c',
      command: ['sh', '-c', 'echo "a&b"'],
      stdin: true,
      stdout: true,
      stderr: false,
      tty: true,
    });
    expect(execTarget(exec)).toBe(
      '/api/v1/namespaces/shop/pods/web-1/exec?command=sh&command=-c&command=echo%20%22a%26b%22&container=c&stdin=true&stdout=true&tty=true',
    );
    expect(channelsOf(exec)).toEqual(['error', 'stdin', 'stdout', 'resize']);
    expect(channelsOf(read('command=a&stdout=1&stderr=1&tty=FALSE&stdin=0'))).toEqual(['error', 'stdout', 'stderr']);
    expect(read('stdout=1&command=evil', 'attach')).toMatchObject({ does: 'attach', command: [] });
  });

  test.each([
    ['no command', 'stdout=1'],
    ['two values of a flag', 'command=a&stdout=1&tty=0&tty=1'],
    ['two containers', 'command=a&stdout=1&container=a&container=b'],
    ['a strange container', 'command=a&stdout=1&container=..%20'],
    ['no stream at all', 'command=a'],
  ])('with %s is refused', (_, query) => {
    expect(() => read(query)).toThrow('cannot be sent to the cluster');
  });
});

describe.each(['spdy', 'websocket'] as const)('ports forwarded over %s', (carrier) => {
  /** A client, the gateway between, and a cluster that connects to a port of this machine. */
  async function world() {
    const told: [number, string | undefined][] = [];
    const clusterSide = Promise.withResolvers<Duplex>();
    const serveCluster = (wire: Duplex, rest: Buffer) =>
      new SpdyConnection({
        wire,
        rest,
        side: 'server',
        onStream(stream) {
          const isData = stream.headers.streamtype?.[0] === 'data';
          const port = Number(stream.headers.port?.[0]);
          if (!isData) {
            stream.resume();
            if (port === 1) stream.end('nothing listens there\n');
            else stream.end();
            return;
          }
          if (port === 1) {
            stream.end();
            return;
          }
          const socket = connect(port, '127.0.0.1');
          socket.on('error', () => stream.destroy());
          stream.pipe(socket).pipe(stream);
        },
      });
    let isClient = true;
    onUpgrade = async (raw, socket, rest) => {
      const accepted = await acceptForward({ raw, socket, rest }, readUpgrade(raw, 'forward'));
      if (!isClient) {
        serveCluster(accepted.stream, accepted.rest);
        clusterSide.resolve(accepted.stream);
        return;
      }
      isClient = false;
      const { upgraded, kind } = await dial(carrier, 'forward');
      const cluster = await openForward(upgraded, kind);
      const forwarding = forwardPorts(accepted, cluster, {
        onConnection: (port, failure) => told.push([port, failure]),
        onBytes: () => {},
      });
      cleanups.push(() => forwarding.close());
    };
    const { upgraded, kind } = await dial(carrier, 'forward');
    const wire = await openForward(upgraded, kind);
    const client = new SpdyConnection({ wire: wire.stream, rest: wire.rest, side: 'client' });
    cleanups.push(() => client.close());
    return { client, told };
  }

  test('carry several connections at once, each told once, and failures in the cluster’s words', async () => {
    const echo = createTcpServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket)).listen(
      0,
      '127.0.0.1',
    );
    await once(echo, 'listening');
    cleanups.push(() => echo.close());
    const port = (echo.address() as AddressInfo).port;
    const { client, told } = await world();
    const use = async (to: number, id: number, text: string) => {
      const headers = { port: String(to), requestid: String(id) };
      const error = client.open({ ...headers, streamtype: 'error' });
      error.end();
      const data = client.open({ ...headers, streamtype: 'data' });
      data.end(text);
      return Promise.all([textOf(data), textOf(error)]);
    };
    const large = 'x'.repeat(3_000_000);

    expect(await Promise.all([use(port, 1, 'one'), use(port, 2, large), use(1, 3, '')])).toEqual([
      ['one', ''],
      [large, ''],
      ['', 'nothing listens there\n'],
    ]);
    while (told.length < 3) await turn();
    expect(told.sort(([a], [b]) => a - b)).toEqual([
      [1, 'nothing listens there'],
      [port, undefined],
      [port, undefined],
    ]);
  });

  test('are refused where a stream is none of a forward', async () => {
    const { client } = await world();
    const streams = [
      { streamtype: 'data', port: '0' },
      { streamtype: 'stdin', port: '80' },
      { streamtype: 'data', port: '70000' },
    ];
    for (const headers of streams) await once(client.open(headers), 'reset');
  });
});

test('the name of the tunnel has a slash, which `ws` would refuse', () => {
  expect(WEBSOCKET_FORWARD_PROTOCOL).toContain('/');
});

test('a client that pings and never reads has no answers piled up for it', async () => {
  const served = Promise.withResolvers<Duplex>();
  onUpgrade = (raw, socket, rest) => {
    served.resolve(socket);
    acceptExec({ raw, socket, rest }, readUpgrade(raw, 'exec'), ALL).catch(() => {});
  };
  const { upgraded } = await dial('websocket', 'exec');
  upgraded.stream.pause();
  const near = await served.promise;
  // Masked by nothing: the key is four zeros.
  const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => ping));
  for (let round = 0; round < 100; round++) await new Promise((resolve) => upgraded.stream.write(pings, resolve));
  await expect.poll(() => (near as Socket).bytesRead).toBeGreaterThan(100 * pings.length);

  expect(near.writableLength).toBeLessThan(512 * 1024);
});
