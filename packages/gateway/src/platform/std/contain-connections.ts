/** Holds whatever goes wrong while a listener serves a connection to that connection: the one place for all that HTTP brings. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { constants, Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { Socket } from 'node:net';
import { containEvents, onBehalfOf, type Peer } from '@gatehouse/tunnel/contain';

interface Listener {
  emit(event: string, ...args: unknown[]): boolean;
}

const peers = new WeakMap<Socket, Peer>();

/** Requests, upgrades, broken ones and the connections themselves, whoever listens for them and whenever they began to. */
export function containConnections(server: object, where: string): void {
  const listener = server as Listener;
  const emit = listener.emit.bind(listener);
  listener.emit = (event, ...args) => {
    const peer = peerIn(args, where);
    if (!peer) return emit(event, ...args);
    return onBehalfOf(peer, () => emit(event, ...args)) ?? true;
  };
}

/** Every listener names the connection it speaks of by itself, or by a request on it. */
function peerIn(args: readonly unknown[], where: string): Peer | undefined {
  const [first, second] = args;
  if (first instanceof Http2ServerRequest) return streamPeer(first, second as Http2ServerResponse, where);
  if (first instanceof IncomingMessage) return requestPeer(first, second, where);
  const socket = args.find(isSocket);
  return socket && peerOf(socket, where);
}

/** `second`: its answer, or where it was upgraded the connection. */
function requestPeer(request: IncomingMessage, second: unknown, where: string): Peer {
  const peer = peerOf(request.socket, where);
  containEvents(request, peer);
  if (second instanceof ServerResponse) containEvents(second, peer);
  return peer;
}

function isSocket(value: unknown): value is Socket {
  return value instanceof Socket;
}

/** All that its socket ever tells anybody is held as well. */
function peerOf(socket: Socket, where: string): Peer {
  const known = peers.get(socket);
  if (known) return known;
  const peer: Peer = { where, address: socket.remoteAddress, cut: () => socket.destroy() };
  peers.set(socket, peer);
  containEvents(socket, peer);
  return peer;
}

/** Of HTTP/2 it costs the one stream: the others on the connection have done nothing. */
function streamPeer(request: Http2ServerRequest, response: Http2ServerResponse, where: string): Peer {
  const { stream } = request;
  const peer: Peer = {
    where,
    address: request.socket.remoteAddress,
    cut: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  };
  for (const emitter of [stream, request, response]) containEvents(emitter, peer);
  return peer;
}
