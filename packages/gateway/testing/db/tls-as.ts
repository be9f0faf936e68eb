/** TLS to a database, as reach puts it around what it dials. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';

export function tlsAs(ca: string, certificate?: { cert: string; key: string }): (bare: Duplex) => Promise<Duplex> {
  return async (bare) => {
    const socket = connect({ socket: bare, ca, ...certificate, servername: 'localhost' });
    await once(socket, 'secureConnect');
    return socket;
  };
}
