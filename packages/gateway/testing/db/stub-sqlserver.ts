/** A server that speaks as much of SQL Server as its clients need, with TLS as TDS begins it: SQL Server itself can be had from neither Debian nor npm. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ByteSource } from '../../src/kinds/db/engine/byte-source.ts';
import { hidden } from '../../src/kinds/db/engine/sqlserver/login.ts';
import { HEAD_BYTES, packets, readHead, STATUS, TYPE } from '../../src/kinds/db/engine/sqlserver/packets.ts';
import { ENCRYPTION, prelogin, takeMessage } from '../../src/kinds/db/engine/sqlserver/prelogin.ts';
import { tlsInPackets } from '../../src/kinds/db/engine/sqlserver/tls-in-packets.ts';
import { makeTestAuthority } from './test-authority.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const DONE = { final: 0, error: 2, count: 16, attention: 32 };
const VERSION = Buffer.of(16, 0, 0x10, 0x00, 0, 0);

export interface StubSqlserver {
  port: number;
  ca: string;
  /** Of every message that came, its kind and its text as far as it is one. */
  came: { type: number; text: string }[];
  connections(): number;
  stop(): Promise<void>;
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const b = (text: string) => Buffer.concat([Buffer.of(text.length), utf16(text)]);
const us = (text: string) => Buffer.concat([u16(text.length), utf16(text)]);
function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
const token = (type: number, body: Buffer) => Buffer.concat([Buffer.of(type), u16(body.length), body]);

function done(status: number, rows = 0, type = 0xfd): Buffer {
  const bytes = Buffer.alloc(13);
  bytes[0] = type;
  bytes.writeUInt16LE(status, 1);
  bytes.writeBigUInt64LE(BigInt(rows), 5);
  return bytes;
}
const failed = (number: number, text: string) =>
  Buffer.concat([
    token(0xaa, Buffer.concat([i32(number), Buffer.of(1, 14), us(text), b('stub'), b(''), i32(1)])),
    done(DONE.error),
  ]);
const inDatabase = (name: string, before: string) => token(0xe3, Buffer.concat([Buffer.of(1), b(name), b(before)]));
const loginAck = () =>
  token(0xad, Buffer.concat([Buffer.of(1, 0x74, 0, 0, 4), b('Microsoft SQL Server'), Buffer.of(16, 0, 0x10, 0)]));

/** One column of texts. */
function rows(values: readonly string[]): Buffer {
  const type = Buffer.concat([Buffer.of(0xe7), u16(200), Buffer.alloc(5)]);
  const columns = Buffer.concat([Buffer.of(0x81), u16(1), i32(0), u16(9), type, b('word')]);
  const all = values.map((value) => Buffer.concat([Buffer.of(0xd1), u16(value.length * 2), utf16(value)]));
  return Buffer.concat([columns, ...all]);
}

/** `leads`: which database somebody is in who signs in to another. */
export async function startStubSqlserver(
  users: Readonly<Record<string, string>>,
  leads: Readonly<Record<string, string>> = {},
): Promise<StubSqlserver> {
  const { ca, server: pair } = await makeTestAuthority();
  const came: StubSqlserver['came'] = [];
  const sockets = new Set<Socket>();
  const never = new AbortController().signal;

  async function serve(socket: Socket): Promise<void> {
    const bare = new ByteSource(socket);
    await takeMessage(bare, MAX_BYTES, never);
    socket.write(prelogin(TYPE.reply, { version: VERSION, encryption: ENCRYPTION.on }));
    bare.release();
    const secure = new TLSSocket(tlsInPackets(socket), { isServer: true, ...pair, maxVersion: 'TLSv1.2' });
    secure.on('error', () => {});
    const source = new ByteSource(secure);
    const reply = (...parts: Buffer[]) => void secure.write(packets(TYPE.reply, Buffer.concat(parts)));
    const { payload } = await takeMessage(source, MAX_BYTES, never);
    const field = (at: number) => {
      const start = payload.readUInt16LE(at);
      return payload.subarray(start, start + payload.readUInt16LE(at + 2) * 2);
    };
    const user = field(40).toString('utf16le');
    let database = field(68).toString('utf16le') || 'master';
    database = leads[database] ?? database;
    const expected = users[user];
    if (expected === undefined || !field(44).equals(hidden(expected))) {
      reply(failed(18_456, `Login failed for user '${user}'.`));
      return void secure.end();
    }
    reply(inDatabase(database, 'master'), loginAck(), done(DONE.final));
    let isRunning = false;
    for (;;) {
      const message = await take(source);
      const text = textIn(message.type, message.payload);
      came.push({ type: message.type, text });
      const used = /^use \[?(\w+)/i.exec(text)?.[1];
      if (message.type === TYPE.attention) {
        reply(done(DONE.attention));
        isRunning = false;
      } else if (isRunning) throw new Error('a request while another runs');
      else if (message.type === TYPE.rpc)
        reply(rows(['called']), done(1 | DONE.count, 1, 0xff), Buffer.of(0x79), i32(0), done(DONE.final, 0, 0xfe));
      else if (message.type !== TYPE.batch || /^\s*set /i.test(text)) reply(done(DONE.final));
      else if (/waitfor/i.test(text)) isRunning = true;
      else if (/raiserror/i.test(text)) reply(failed(50_000, 'as you wished'));
      else if (used) {
        reply(inDatabase(used, database), done(DONE.final));
        database = used;
      } else if (/elsewhere/i.test(text)) reply(inDatabase('private', database), done(DONE.final));
      else if (/many/i.test(text)) {
        const words = Array.from({ length: 20_000 }, (_, number) => `row ${number} of many`);
        reply(rows(words), done(DONE.count, words.length));
      } else reply(rows([user, database]), done(DONE.count, 2));
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket).catch(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ port: (server.address() as AddressInfo).port, ca, came },
    connections: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };

  async function take(source: ByteSource) {
    const parts: Buffer[] = [];
    for (;;) {
      const head = readHead(await source.take(HEAD_BYTES, never));
      parts.push(await source.take(head.length - HEAD_BYTES, never));
      if (head.status & STATUS.last) return { type: head.type, payload: Buffer.concat(parts) };
    }
  }
}

function textIn(type: number, payload: Buffer): string {
  if (type !== TYPE.batch && type !== TYPE.rpc) return '';
  return payload.subarray(payload.readUInt32LE(0)).toString('utf16le');
}
