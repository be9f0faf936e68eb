/** Stands in for MySQL 8, which Debian does not have: signs in by caching_sha2_password over TLS, quickly whom it knows and by the whole password whom it does not, and says OK to everything. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { ByteSource } from '../../src/kinds/db/engine/byte-source.ts';
import { CAN } from '../../src/kinds/db/engine/mysql/capabilities.ts';
import { ownNonce, writeGreeting } from '../../src/kinds/db/engine/mysql/greeting.ts';
import { errorPacket, packet } from '../../src/kinds/db/engine/mysql/packets.ts';
import { readPacket } from '../../src/kinds/db/engine/mysql/read-packet.ts';

const METHOD = 'caching_sha2_password';
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const BASIC =
  CAN.longPassword | CAN.protocol41 | CAN.secureConnection | CAN.pluginAuth | CAN.connectWithDb | CAN.deprecateEof;

export interface StubMysql8 {
  port: number;
  /** How each sign-in went. */
  ways: ('quick' | 'whole' | 'refused')[];
  close(): Promise<void>;
}

export interface StubMysql8Options {
  password: string;
  server: { cert: string; key: string };
}

export async function startStubMysql8({ password, server: certificate }: StubMysql8Options): Promise<StubMysql8> {
  const ways: StubMysql8['ways'] = [];
  const sockets = new Set<Socket>();
  let isKnown = false;

  async function serve(socket: Socket): Promise<void> {
    const signal = AbortSignal.timeout(10_000);
    const nonce = ownNonce();
    const bare = new ByteSource(socket);
    socket.write(greeting(nonce));
    await readPacket(bare, 1, signal);
    socket.unshift(bare.release());
    const client = new TLSSocket(socket, { isServer: true, ...certificate });
    client.on('error', () => {});
    const source = new ByteSource(client);
    const { body } = await readPacket(source, 2, signal);
    const isProven = body.includes(proofOf(password, nonce));
    if (isKnown && isProven) {
      ways.push('quick');
      client.write(Buffer.concat([packet(3, Buffer.of(1, 3)), packet(4, OK)]));
    } else {
      client.write(packet(3, Buffer.of(1, 4)));
      const whole = await readPacket(source, 4, signal);
      isKnown = whole.body.toString() === `${password}\0`;
      ways.push(isKnown ? 'whole' : 'refused');
      client.write(packet(5, isKnown ? OK : errorPacket(5, 1045, 'Access denied for user').subarray(4)));
    }
    await sayOk(client, source);
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ways,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function sayOk(client: Duplex, source: ByteSource): Promise<void> {
  for (;;) {
    const { body } = await readPacket(source, 0, AbortSignal.timeout(60_000));
    if (body[0] === 1) {
      client.end();
      return;
    }
    client.write(packet(1, OK));
  }
}

/** Ours has no TLS to offer: this one does. */
function greeting(nonce: Buffer): Buffer {
  const version = '8.0.36';
  const capabilities = { basic: BASIC, extended: 0 };
  const bytes = writeGreeting(
    { version, thread: 7, nonce, capabilities, charset: 255, status: 2, method: METHOD },
    METHOD,
    nonce,
  );
  const low = 4 + 1 + version.length + 1 + 13;
  bytes.writeUInt16LE(bytes.readUInt16LE(low) | CAN.ssl, low);
  return bytes;
}

function proofOf(password: string, nonce: Buffer): Buffer {
  const sha256 = (...parts: readonly (string | Buffer)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const once = sha256(password);
  const mask = sha256(sha256(once), nonce);
  return Buffer.from(once.map((byte, at) => byte ^ (mask[at] ?? 0)));
}
