/** Asks a PostgreSQL server on a connection of the gateway's own, one statement after the other, and reads their rows. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { malformed } from '../db-failure.ts';
import { message, readServerError, refusedBy, type ServerError } from './messages.ts';
import { readMessage } from './read-message.ts';
import type { SignedIn } from './sign-in.ts';

/** Of one statement: no more rows are meant to be read. */
const MAX_MESSAGES = 10_000;

export type Row = readonly (string | null)[];

export class PostgresAsker {
  readonly #server: Duplex;
  readonly #source: ByteSource;
  readonly #signal: AbortSignal;

  /** Nothing else reads of it from then on. */
  constructor({ server, rest }: SignedIn, signal: AbortSignal) {
    if (rest.length > 0) server.unshift(rest);
    this.#server = server;
    this.#source = new ByteSource(server);
    this.#signal = signal;
  }

  /** Throws what the server says against it. */
  async ask(sql: string): Promise<Row[]> {
    this.#server.write(message('Q', sql));
    const rows: Row[] = [];
    let failure: ServerError | undefined;
    for (let count = 0; count < MAX_MESSAGES; count += 1) {
      const { type, body } = await readMessage(this.#source, this.#signal);
      if (type === 'E') failure ??= readServerError(body);
      else if (type === 'D') rows.push(readRow(body));
      else if (type === 'Z') {
        if (failure) throw refusedBy(failure);
        return rows;
      }
    }
    throw malformed('more answers than are read');
  }

  leave(): void {
    this.#server.end(message('X'));
    this.#server.on('error', () => {});
  }
}

function readRow(body: Buffer): Row {
  const row: (string | null)[] = [];
  let at = 2;
  for (let left = body.length >= 2 ? body.readUInt16BE(0) : 0; left > 0; left -= 1) {
    if (at + 4 > body.length) throw malformed('a row that is shorter than what it says is in it');
    const length = body.readInt32BE(at);
    at += 4;
    if (length < 0) row.push(null);
    else {
      if (at + length > body.length) throw malformed('a row that is shorter than what it says is in it');
      row.push(body.toString('utf8', at, at + length));
      at += length;
    }
  }
  return row;
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Means the same whatever the server takes `\` for. */
export function quotedText(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
