/** What a client wants its connection to become, and our yes to it. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerPings } from '@gatehouse/tunnel/answer-pings';
import { WebSocketDuplex } from '@gatehouse/tunnel/websocket-duplex';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { Channel, ExecChannels } from './channels.ts';
import { acceptSpdyExec, SPDY_EXEC_PROTOCOL, type Upgraded } from './spdy-channels.ts';
import { unmaskEarly } from './unmask.ts';
import { MAX_MESSAGE_BYTES, WEBSOCKET_EXEC_PROTOCOLS, websocketChannels } from './websocket-channels.ts';

export const SPDY_FORWARD_PROTOCOL = 'portforward.k8s.io';
export const WEBSOCKET_FORWARD_PROTOCOL = 'SPDY/3.1+portforward.k8s.io';
export const SPDY_UPGRADE = 'SPDY/3.1';

export type Purpose = 'exec' | 'forward';

export interface StreamKind {
  carrier: 'spdy' | 'websocket';
  /** The one of those it offers that we speak. */
  protocol: string;
}

export interface KubeClient {
  raw: IncomingMessage;
  socket: Duplex;
  rest: Buffer;
}

/** Throws, in words, for what is spoken by nobody here. */
export function readUpgrade(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  purpose: Purpose,
): StreamKind {
  const carrier = carrierOf(headers.upgrade ?? '');
  if (carrier === 'websocket' && !isProper(method, headers))
    throw new AppError('bad_request', 'the websocket is not asked for as its standard says');
  const offered = listOf(headers[carrier === 'spdy' ? 'x-stream-protocol-version' : 'sec-websocket-protocol']);
  const spoken: readonly string[] = SPOKEN[purpose][carrier];
  const protocol = spoken.find((each) => offered.includes(each));
  if (protocol === undefined)
    throw new AppError(
      'bad_request',
      `none of the stream protocols that were offered is spoken here: it would have to be ${spoken.join(' or ')}`,
    );
  return { carrier, protocol };
}

const SPOKEN = {
  exec: { spdy: [SPDY_EXEC_PROTOCOL], websocket: WEBSOCKET_EXEC_PROTOCOLS },
  forward: { spdy: [SPDY_FORWARD_PROTOCOL], websocket: [WEBSOCKET_FORWARD_PROTOCOL] },
} as const;

/** As `ws` will want it: by then the cluster has been asked. */
function isProper(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const isKey = /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '');
  return method === 'GET' && isKey && headers['sec-websocket-version'] === '13';
}

function carrierOf(upgrade: string): StreamKind['carrier'] {
  if (upgrade.toLowerCase() === SPDY_UPGRADE.toLowerCase()) return 'spdy';
  if (upgrade.toLowerCase() === 'websocket') return 'websocket';
  throw new AppError('bad_request', 'exec, attach and port-forward need an upgrade to SPDY/3.1 or a websocket');
}

function listOf(value: string | string[] | undefined): string[] {
  return [value ?? []].flat().flatMap((each) => each.split(',').map((word) => word.trim()));
}

/** Says yes. */
export async function acceptExec(
  client: KubeClient,
  kind: StreamKind,
  wanted: readonly Channel[],
): Promise<ExecChannels> {
  requireHere(client);
  if (kind.carrier === 'spdy') return acceptSpdyExec(acceptSpdy(client, kind.protocol), wanted);
  return acceptWebsocket(client, kind.protocol, (socket) => websocketChannels(socket, kind.protocol, wanted));
}

/** Says yes to a port-forward: SPDY either way. */
export async function acceptForward(client: KubeClient, kind: StreamKind): Promise<Upgraded> {
  requireHere(client);
  if (kind.carrier === 'spdy') return acceptSpdy(client, kind.protocol);
  const stream = await acceptWebsocket(client, kind.protocol, (socket) => new WebSocketDuplex(socket));
  return { stream, rest: Buffer.alloc(0) };
}

/** Whoever left while the cluster was asked would never be heard to leave. */
export function requireHere({ socket }: Pick<KubeClient, 'socket'>): void {
  if (socket.destroyed) throw new AppError('unavailable', 'the client left');
}

function acceptSpdy({ socket, rest }: KubeClient, protocol: string): Upgraded {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${SPDY_UPGRADE}\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  return { stream: socket, rest };
}

/** `use` is called with it at once: its first message may be there already. */
function acceptWebsocket<T>(
  { raw, socket, rest }: KubeClient,
  protocol: string,
  use: (socket: WebSocket) => T,
): Promise<T> {
  // `ws` answers 400 to a name with a slash in it, and kubectl then falls back to SPDY without a word.
  delete raw.headers['sec-websocket-protocol'];
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    autoPong: false,
  });
  server.on('headers', (headers) => void headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
  return new Promise((resolve, reject) => {
    server.on('wsClientError', reject);
    socket.once('close', () => reject(new AppError('unavailable', 'the client left')));
    server.handleUpgrade(raw, socket, rest, (opened) => {
      answerPings(opened);
      unmaskEarly(socket);
      resolve(use(opened));
    });
  });
}
