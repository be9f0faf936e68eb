/** A client for tests that sends what it is told, right or wrong, and matches answers to requests. */
import type { Readable, Writable } from 'node:stream';
import { ANSWER, OPEN_FLAG, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { MessageReader } from '../../src/kinds/node/files/message-reader.ts';
import { clientPackets } from '../../src/kinds/node/files/sftp-failure.ts';

/** number: uint32; bigint: uint64; text and bytes: a string with its length; raw: these bytes and nothing before them. */
export type Field = number | bigint | string | Buffer | { raw: Uint8Array };

export interface Answer {
  type: number;
  /** Of a status; undefined otherwise. */
  status: number | undefined;
  message: string;
  body: MessageReader;
}

export interface SftpClient {
  greet(): Promise<void>;
  ask(type: number, ...fields: Field[]): Promise<Answer>;
  open(path: string, flags?: number): Promise<Buffer>;
  sendRaw(bytes: Buffer): void;
  /** Answers nobody waits for any more or never did. */
  strays: number;
  closed: Promise<void>;
}

const NO_ATTRIBUTES = 0;

export function sftpClient({ input, output }: { input: Writable; output: Readable }): SftpClient {
  const packets = clientPackets();
  const waiting = new Map<number, (answer: Answer) => void>();
  const greeted = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let lastId = 0;
  input.on('error', () => {});
  output.on('error', () => {});
  output.on('data', (piece: Buffer) => {
    for (const packet of packets.push(piece)) {
      if (packet[0] === ANSWER.version) greeted.resolve();
      else take(packet);
    }
  });
  output.on('close', () => closed.resolve());
  output.on('end', () => closed.resolve());

  const take = (packet: Buffer) => {
    const type = packet.readUInt8(0);
    const body = new MessageReader(packet, 1);
    const tell = waiting.get(body.uint32());
    if (!tell) {
      client.strays += 1;
      return;
    }
    waiting.delete(packet.readUInt32BE(1));
    const status = type === ANSWER.status ? body.uint32() : undefined;
    tell({ type, status, message: status === undefined ? '' : body.bytes().toString(), body });
  };

  const client: SftpClient = {
    strays: 0,
    closed: closed.promise,
    sendRaw: (bytes) => void input.write(bytes),
    async greet() {
      input.write(framed([REQUEST.init], [3]));
      await greeted.promise;
    },
    ask(type, ...fields) {
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.set(id, resolve);
      input.write(framed([type], [id, ...fields]));
      return promise;
    },
    async open(path, flags = OPEN_FLAG.read) {
      const answer = await client.ask(REQUEST.open, path, flags, NO_ATTRIBUTES);
      if (answer.type !== ANSWER.handle) throw new Error(`not opened: ${answer.message}`);
      return answer.body.bytes();
    },
  };
  return client;
}

export function framed(head: readonly number[], fields: readonly Field[]): Buffer {
  const body = Buffer.concat([Buffer.from(head), ...fields.map(encoded)]);
  return Buffer.concat([encoded(body.length), body]);
}

function encoded(field: Field): Buffer {
  if (typeof field === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(field >>> 0, 0);
    return bytes;
  }
  if (typeof field === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(field, 0);
    return bytes;
  }
  if (typeof field === 'object' && 'raw' in field) return Buffer.from(field.raw);
  const bytes = Buffer.from(field);
  return Buffer.concat([encoded(bytes.length), bytes]);
}
