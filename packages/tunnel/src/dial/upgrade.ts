/** Asks the gateway to turn an HTTP connection into a tunnel, in the two ways a balancer may let through. */

import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { TUNNEL_SUBPROTOCOL, TUNNEL_UPGRADE } from '@gatehouse/contract/reach/tunnel/handshake';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { WebSocket } from 'ws';
import { bytesReadOf, channelBinding, type Link } from '../link.ts';
import { messageOf, TunnelError } from '../tunnel-error.ts';
import { MAX_WEBSOCKET_BYTES, WebSocketDuplex } from '../websocket-duplex.ts';

/** Whoever answers is not proved yet to be the gateway: it may not send an agent away for long. */
const MAX_WAIT_SECONDS = 60;

/** Over TLS too it is `http:` to Node: the socket below is ours and already encrypted. */
export function upgradeRaw(socket: Socket, url: URL, signal: AbortSignal): Promise<Link> {
  return new Promise((resolve, reject) => {
    const fail = failWith(socket, reject);
    const busy = busyWith(socket, reject);
    const asked = request({
      createConnection: () => socket,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, connection: 'Upgrade', upgrade: TUNNEL_UPGRADE },
      signal,
    });
    asked.on('error', (error) => fail(messageOf(error)));
    asked.on('response', (response) => {
      if (isBusy(response)) busy(response);
      else fail(`it answered ${response.statusCode}`);
    });
    asked.on('upgrade', (response, _socket, head) => {
      if (response.headers.upgrade?.toLowerCase() !== TUNNEL_UPGRADE) return fail('it upgraded to something else');
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve({
        transport: 'upgrade',
        stream: socket,
        binding: channelBinding(socket),
        bytesRead: () => bytesReadOf(socket),
      });
    });
    asked.end();
  });
}

export function upgradeWebSocket(socket: Socket, url: URL, signal: AbortSignal): Promise<Link> {
  return new Promise((resolve, reject) => {
    const binding = channelBinding(socket);
    const fail = failWith(socket, reject);
    const busy = busyWith(socket, reject);
    const webSocket = new WebSocket(`ws://${url.host}${url.pathname}${url.search}`, TUNNEL_SUBPROTOCOL, {
      createConnection: () => socket,
      headers: { host: url.host },
      perMessageDeflate: false,
      maxPayload: MAX_WEBSOCKET_BYTES,
      followRedirects: false,
      // A mask of zeros is skipped by `ws`, at a third of the cost. Masks guard proxies against scripts in browsers; here is
      // TLS or loopback below, and no browser.
      generateMask: (mask) => mask.fill(0),
    });
    // Before it is open, and made here at once: the first message may come in the same packet as the answer.
    const stream = new WebSocketDuplex(webSocket);
    stream.on('error', (error) => fail(messageOf(error)));
    stream.on('close', () => fail('it hung up'));
    webSocket.on('unexpected-response', (_request, response) => {
      response.resume();
      if (isBusy(response)) busy(response);
      else fail(`it answered ${response.statusCode}`);
    });
    const forget = whenAborted(signal, () => webSocket.terminate());
    webSocket.on('open', () => {
      forget();
      resolve({ transport: 'websocket', stream, binding, bytesRead: () => bytesReadOf(stream) });
    });
  });
}

/** Once the promise is settled, later failures belong to whoever holds the link. */
function failWith(socket: Socket, reject: (error: TunnelError) => void): (reason: string) => void {
  return (reason) => {
    reject(new TunnelError('no_tunnel', `no tunnel at this address: ${reason}`));
    socket.destroy();
  };
}

/** The gateway itself, or the balancer before it: asking in the other way as well would only add to it. */
function isBusy({ statusCode }: IncomingMessage): boolean {
  return statusCode === 429 || statusCode === 503;
}

function busyWith(socket: Socket, reject: (error: TunnelError) => void): (response: IncomingMessage) => void {
  return ({ statusCode, headers }) => {
    const seconds = Number(headers['retry-after']);
    const retryAfterMs = seconds > 0 && seconds <= MAX_WAIT_SECONDS ? seconds * 1000 : undefined;
    reject(new TunnelError('busy', `the gateway is busy: it answered ${statusCode}`, { retryAfterMs }));
    socket.destroy();
  };
}
