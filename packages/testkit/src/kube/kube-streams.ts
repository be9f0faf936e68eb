/** Exec and attach as the small cluster's end of them: the same five streams, by SPDY or by the channels of a websocket. */
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { SpdyServer, type SpdyStream } from './spdy-server.ts';

const CHANNELS = ['stdin', 'stdout', 'stderr', 'error', 'resize'] as const;
type Channel = (typeof CHANNELS)[number];
const SPDY_VERSIONS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io'];
const V5 = 'v5.channel.k8s.io';
const END_OF_CHANNEL = 255;
const OPEN_MS = 30_000;
export const TUNNEL = 'SPDY/3.1+portforward.k8s.io';

export interface KubeStreams {
  /** `SPDY v4.channel.k8s.io`, `websocket v5.channel.k8s.io`: for tests. */
  wire: string;
  streams: Partial<Record<Channel, Duplex>>;
  /** After everything has been written. */
  close(): void;
  closed: Promise<void>;
}

export interface StreamsWanted {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

export async function acceptSpdy(
  request: IncomingMessage,
  socket: Duplex,
  wanted: StreamsWanted,
): Promise<KubeStreams | undefined> {
  const offered = (request.headersDistinct['x-stream-protocol-version'] ?? []).flatMap((value) => value.split(/,\s*/));
  const version = SPDY_VERSIONS.find((each) => offered.includes(each));
  if (version === undefined) {
    refuse(socket, 403, 'Forbidden', 'no stream protocol in common');
    return undefined;
  }
  socket.write(switching(`X-Stream-Protocol-Version: ${version}\r\n`));
  const awaited: Channel[] = [
    'error',
    ...(wanted.stdin ? (['stdin'] as const) : []),
    ...(wanted.stdout ? (['stdout'] as const) : []),
    ...(wanted.stderr && !wanted.tty ? (['stderr'] as const) : []),
    ...(wanted.tty && version !== 'v2.channel.k8s.io' ? (['resize'] as const) : []),
  ];
  const streams: Partial<Record<Channel, SpdyStream>> = {};
  const opened = Promise.withResolvers<boolean>();
  const server = new SpdyServer(socket, (stream) => {
    streams[stream.headers.streamtype as Channel] = stream;
    if (awaited.every((name) => streams[name] !== undefined)) opened.resolve(true);
  });
  void server.closed.then(() => opened.resolve(false));
  const timer = setTimeout(() => server.close(), OPEN_MS);
  const isOpen = await opened.promise;
  clearTimeout(timer);
  return isOpen ? { wire: `SPDY ${version}`, streams, close: () => server.close(), closed: server.closed } : undefined;
}

/** A client that wants none of `versions` is refused as an old server refuses it. */
export async function acceptChannels(
  request: IncomingMessage,
  socket: Duplex,
  versions: readonly string[],
): Promise<KubeStreams | undefined> {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/,\s*/);
  if (!versions.some((version) => offered.includes(version))) {
    // As real ones do it: without a word.
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    return undefined;
  }
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: (wanted) => versions.find((version) => wanted.has(version)) ?? false,
  });
  const websocket = await new Promise<WebSocket>((resolve) =>
    sockets.handleUpgrade(request, socket, Buffer.alloc(0), resolve),
  );
  return {
    wire: `websocket ${websocket.protocol}`,
    streams: channelsOf(websocket),
    close: () => websocket.close(1000),
    closed: new Promise<void>((resolve) => websocket.once('close', () => resolve())),
  };
}

function channelsOf(websocket: WebSocket): Record<Channel, Duplex> {
  const full = new Set<Channel>();
  const isV5 = websocket.protocol === V5;
  const made = CHANNELS.map((name, number) => {
    const stream = new Duplex({
      read() {
        if (full.delete(name) && full.size === 0) websocket.resume();
      },
      write(bytes: Buffer, _, done) {
        websocket.send(Buffer.concat([Buffer.of(number), bytes]), { binary: true }, () => done());
      },
      final(done) {
        done();
      },
    });
    stream.on('error', () => {});
    return [name, stream] as const;
  });
  const streams = Object.fromEntries(made) as Record<Channel, Duplex>;
  websocket.on('message', (message) => {
    const bytes = message as Buffer;
    const [number = 0] = bytes;
    if (isV5 && number === END_OF_CHANNEL) {
      const ended = CHANNELS[bytes[1] ?? -1];
      if (ended !== undefined) streams[ended].push(null);
      return;
    }
    const name = CHANNELS[number];
    if (name === undefined || bytes.length === 1 || streams[name].destroyed) return;
    if (!streams[name].push(bytes.subarray(1))) {
      full.add(name);
      websocket.pause();
    }
  });
  websocket.on('close', () => {
    for (const stream of Object.values(streams)) stream.push(null);
  });
  websocket.on('error', () => {});
  return streams;
}

/** The bytes of a websocket as one wire: how port-forward of newer clients carries SPDY. */
export async function acceptTunnel(request: IncomingMessage, socket: Duplex): Promise<Duplex> {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  // `ws` refuses a name with a slash: it is taken out before, and answered by hand.
  delete request.headers['sec-websocket-protocol'];
  sockets.on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${TUNNEL}`));
  const websocket = await new Promise<WebSocket>((resolve) =>
    sockets.handleUpgrade(request, socket, Buffer.alloc(0), resolve),
  );
  const wire = new Duplex({
    read() {
      websocket.resume();
    },
    write(bytes: Buffer, _, done) {
      websocket.send(bytes, { binary: true }, () => done());
    },
    final(done) {
      websocket.close(1000);
      done();
    },
    destroy(error, done) {
      websocket.terminate();
      done(error);
    },
  });
  websocket.on('message', (message) => {
    if (!wire.push(message as Buffer)) websocket.pause();
  });
  websocket.on('close', () => wire.push(null));
  websocket.on('error', (error) => wire.destroy(error));
  wire.on('error', () => {});
  return wire;
}

export function switching(more: string): string {
  return `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${more}\r\n`;
}

export function refuse(
  socket: Duplex,
  code: number,
  words: string,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  const bytes = Buffer.from(body);
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${code} ${words}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`,
      ),
      bytes,
    ]),
  );
}
