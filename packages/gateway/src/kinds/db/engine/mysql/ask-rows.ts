/** Asks a MySQL or MariaDB server on a connection of the gateway's own, one statement after the other, and reads their rows. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { malformed } from '../db-failure.ts';
import { CAN } from './capabilities.ts';
import { FieldReader } from './field-reader.ts';
import { packet, readServerError, refusedBy } from './packets.ts';
import { readPacket } from './read-packet.ts';
import type { ClientDialect, SignedIn } from './sign-in.ts';

const QUERY = 3;
const QUIT = 1;
const NULL = 0xfb;
const END = 0xfe;
const ERROR = 0xff;
/** Longer than that, and it is a row that begins with a large field. */
const MAX_EOF_BYTES = 8;
/** Of one statement: no more rows are meant to be read. */
const MAX_PACKETS = 10_000;
const UTF8MB4 = 45;

/** In which columns and rows end with packets of their own, and nothing is told beside them. */
export const PLAIN_DIALECT: ClientDialect = {
  capabilities: { basic: CAN.longPassword | CAN.transactions, extended: 0 },
  charset: UTF8MB4,
  maxPacket: 1024 * 1024,
  attributes: Buffer.alloc(0),
};

export type Row = readonly (string | null)[];

export class MysqlAsker {
  readonly #server: Duplex;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal;

  /** Signed in to in the plain dialect; nothing else reads of it from then on. */
  constructor({ server, rest }: SignedIn, signal: AbortSignal) {
    if (rest.length > 0) server.unshift(rest);
    this.#server = server;
    this.#source = new ByteSource(server);
    this.#signal = signal;
  }

  /** Throws what the server says against it. */
  async ask(sql: string): Promise<Row[]> {
    this.#server.write(packet(0, Buffer.concat([Buffer.of(QUERY), Buffer.from(sql)])));
    let sequence = 0;
    const next = async (): Promise<Buffer> => {
      sequence += 1;
      const { body } = await readPacket(this.#source, sequence, this.#signal);
      if (body[0] === ERROR) throw refusedBy(readServerError(body));
      return body;
    };
    const head = await next();
    if (head[0] === 0) return [];
    if (head[0] === NULL) throw malformed('it asks for a file');
    const columns = new FieldReader(head).size();
    for (let left = columns; left >= 0; left -= 1) {
      if (isEnd(await next()) !== (left === 0)) throw malformed('an answer without the end of its columns');
    }
    const rows: Row[] = [];
    for (let count = 0; count < MAX_PACKETS; count += 1) {
      const body = await next();
      if (isEnd(body)) return rows;
      rows.push(readRow(body, columns));
    }
    throw malformed('more answers than are read');
  }

  leave(): void {
    this.#server.end(packet(0, Buffer.of(QUIT)));
    this.#server.on('error', () => {});
  }
}

function isEnd(body: Buffer): boolean {
  return body[0] === END && body.length <= MAX_EOF_BYTES;
}

function readRow(body: Buffer, columns: number): Row {
  const row: (string | null)[] = [];
  let at = 0;
  for (let left = columns; left > 0; left -= 1) {
    if (body[at] === NULL) {
      row.push(null);
      at += 1;
      continue;
    }
    const fields = new FieldReader(body.subarray(at));
    row.push(fields.measured().toString('utf8'));
    at = body.length - fields.left;
  }
  return row;
}

export function quotedName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** By its bytes: no character of it is taken for anything else, and it is equal to nothing but itself. */
export function bytesOf(text: string): string {
  return `X'${Buffer.from(text).toString('hex')}'`;
}
