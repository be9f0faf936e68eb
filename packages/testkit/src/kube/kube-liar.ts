/** A cluster that lies: its certificate is good, and what it answers is whatever a test writes, byte by byte. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { makeKubeAuthority } from './kube-certificates.ts';

/** Gets the head of a request as it came, and the wire. */
export type Lie = (head: string, socket: TLSSocket) => void;

export interface KubeLiar {
  url: string;
  ca: string;
  /** Heads of all requests so far. */
  heads: string[];
  /** From now on. */
  tell(lie: Lie): void;
  stop(): Promise<void>;
}

export async function startKubeLiar(first: Lie = (_, socket) => void socket.end()): Promise<KubeLiar> {
  const { ca, server: pair } = await makeKubeAuthority();
  const heads: string[] = [];
  const open = new Set<TLSSocket>();
  let lie = first;
  const server = createServer(pair, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => {});
    let kept = '';
    socket.on('data', (bytes: Buffer) => {
      kept += bytes.toString('latin1');
      // Bodies are short in these tests, and nobody reads them: a head begins with a method.
      for (let end = kept.indexOf('\r\n\r\n'); end >= 0; end = kept.indexOf('\r\n\r\n')) {
        const head = kept.slice(0, end);
        kept = kept.slice(end + 4);
        if (!/^[A-Z]+ \//.test(head)) continue;
        heads.push(head);
        lie(head, socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    heads,
    tell: (next) => {
      lie = next;
    },
    async stop() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Each byte in a packet of its own, as far as the system lets it. */
export async function byteByByte(socket: TLSSocket, text: string): Promise<void> {
  socket.setNoDelay(true);
  for (const byte of Buffer.from(text, 'latin1')) {
    if (socket.destroyed) return;
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
