/**
 * TLS on a listener of this machine alone that has none: clients of Kubernetes show no credential without it, and never say why. Nobody
 * vouches for its certificate, which is another after each start; what goes over it would otherwise go unencrypted over the same loopback.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { makeAuthority, mintPair } from '../../crypto/x509/mint.ts';
import type { Elsewhere } from './fast-path-connections.ts';

const TLS_HANDSHAKE = 0x16;
const HANDSHAKE_MS = 10_000;
const LIFE_MS = 3650 * 86_400_000;
const NAMES = ['localhost', '127.0.0.1', '::1'];

/** Whoever speaks without TLS is served as before. To be made before anybody else looks at the connections of the server. */
export function createLocalTls(server: Server): Elsewhere {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  const serve = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket);
  };
  const begun = new Set<Socket>();
  const leave = () => {
    for (const socket of begun) socket.destroy();
  };
  const closeAll = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    leave();
    closeAll();
  };
  // Made when somebody first wants it: few do.
  let context: Promise<SecureContext> | undefined;
  return (socket, first) => {
    if (first[0] !== TLS_HANDSHAKE) return false;
    socket.pause();
    begun.add(socket);
    socket.on('close', () => begun.delete(socket));
    socket.on('error', () => socket.destroy());
    context ??= makeContext();
    context.then(
      (made) => {
        if (socket.destroyed) return;
        secure(socket, made, (inside) => {
          begun.delete(socket);
          serve(inside);
        });
      },
      () => {
        context = undefined;
        socket.destroy();
      },
    );
    return true;
  };
}

function secure(socket: Socket, secureContext: SecureContext, serve: (socket: Socket) => void): void {
  const inside = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
  const broke = () => inside.destroy();
  const timer = setTimeout(broke, HANDSHAKE_MS).unref();
  inside.on('error', broke);
  inside.on('close', () => clearTimeout(timer));
  inside.once('secure', () => {
    clearTimeout(timer);
    inside.off('error', broke);
    serve(inside);
  });
}

async function makeContext(): Promise<SecureContext> {
  const now = Date.now();
  const subject = { organization: 'Gatehouse', name: 'this machine' };
  const authority = await makeAuthority({ ...subject, vouches: 'server', now });
  const pair = await mintPair(authority, { vouches: 'server', subject, names: NAMES, ttlMs: LIFE_MS / 2, now });
  return createSecureContext({ ...pair, minVersion: 'TLSv1.2' });
}
