/** The gateway's door: turns an upgrade request of an agent into a tunnel, or the agent away. */
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { TUNNEL_SUBPROTOCOL, TUNNEL_UPGRADE } from '@gatehouse/contract/reach/tunnel/handshake';
import { WebSocketServer } from 'ws';
import { answerPings } from './answer-pings.ts';
import { closeSoon } from './close-soon.ts';
import { withDeadline } from './deadline.ts';
import { openGatewayTunnel, type Tunnel } from './gateway-tunnel.ts';
import { type Authorize, challengeAgent } from './handshake/challenge-agent.ts';
import { bytesReadOf, channelBinding, type Link } from './link.ts';
import type { TunnelLog } from './log.ts';
import { messageOf, TunnelError } from './tunnel-error.ts';
import { TUNNEL_LIMITS, type TunnelLimits } from './tunnel-limits.ts';
import { MAX_WEBSOCKET_BYTES, WebSocketDuplex } from './websocket-duplex.ts';

export interface AcceptOptions {
  authorize: Authorize;
  log: TunnelLog;
  now: () => number;
  /** Gives the handshake up; it does not end an accepted tunnel. */
  signal?: AbortSignal;
  /** `none` only where a balancer in front ends TLS: the proof is then not tied to the connection. Default `auto`. */
  binding?: 'auto' | 'none';
  /** Whether this gateway goes by that host and port. Without it every name passes; set it where `binding` is `none`. */
  isAudience?: (host: string) => boolean;
  limits?: Partial<TunnelLimits>;
}

/** Rejects with a `TunnelError` when no tunnel came of it; the socket is then closed or closing. */
export async function acceptTunnel(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: AcceptOptions,
): Promise<Tunnel> {
  const { log, now, signal, authorize, binding = 'auto', isAudience = () => true } = options;
  const limits = { ...TUNNEL_LIMITS, ...options.limits };
  const { handshakeMs } = limits;
  socket.on('error', () => {});
  try {
    const deadline = { ms: handshakeMs, what: 'the upgrade', signal };
    const link = await withDeadline(deadline, () => takeUpgrade(request, socket, head));
    const encrypted = socket instanceof TLSSocket;
    const agent = await challengeAgent(link, encrypted, { authorize, binding, isAudience, handshakeMs, signal });
    const tunnel = await openGatewayTunnel(link, agent, { limits, now, signal });
    log.debug({ agentKey: agent.key.fingerprint, transport: link.transport }, 'tunnel accepted');
    return tunnel;
  } catch (error) {
    log.debug({ error: messageOf(error) }, 'tunnel not accepted');
    // A refused agent is still reading why.
    if (!(error instanceof TunnelError && error.code === 'refused')) socket.destroy();
    throw error;
  }
}

function takeUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<Link> {
  const wanted = request.headers.upgrade?.toLowerCase();
  if (wanted === TUNNEL_UPGRADE) return takeRaw(socket, head);
  if (wanted === 'websocket' && request.headers['sec-websocket-protocol'] === TUNNEL_SUBPROTOCOL) {
    return takeWebSocket(request, socket, head);
  }
  closeSoon(
    socket,
    `HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nUpgrade: ${TUNNEL_UPGRADE}\r\nContent-Length: 0\r\n\r\n`,
  );
  return Promise.reject(new TunnelError('refused', 'the request asks for no tunnel'));
}

async function takeRaw(socket: Duplex, head: Buffer): Promise<Link> {
  quicken(socket);
  if (head.length > 0) socket.unshift(head);
  const answer = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${TUNNEL_UPGRADE}\r\n\r\n`;
  // Whoever takes the socket while this write is under way brings the process down (is_write_in_progress in Node).
  await new Promise<void>((resolve, reject) => {
    socket.write(answer, (error) => (error ? reject(new TunnelError('closed', 'the agent hung up')) : resolve()));
  });
  return {
    transport: 'upgrade',
    stream: socket,
    binding: channelBinding(socket),
    bytesRead: () => bytesReadOf(socket),
  };
}

function takeWebSocket(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<Link> {
  quicken(socket);
  const binding = channelBinding(socket);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MAX_WEBSOCKET_BYTES,
    handleProtocols: () => TUNNEL_SUBPROTOCOL,
  });
  return new Promise((resolve, reject) => {
    // A malformed websocket request is answered by `ws` without a word to us.
    socket.once('close', () => reject(new TunnelError('bad_peer', 'the websocket did not open')));
    server.handleUpgrade(request, socket, head, (webSocket) => {
      answerPings(webSocket);
      const stream = new WebSocketDuplex(webSocket);
      stream.on('error', () => {});
      resolve({ transport: 'websocket', stream, binding, bytesRead: () => bytesReadOf(stream) });
    });
  });
}

/** The HTTP server's own time-out would cut an idle tunnel; Nagle's delay would hold back keystrokes. */
function quicken(socket: Duplex): void {
  if (!(socket instanceof Socket)) return;
  socket.setNoDelay(true);
  socket.setTimeout(0);
  socket.setKeepAlive(true, 30_000);
}
