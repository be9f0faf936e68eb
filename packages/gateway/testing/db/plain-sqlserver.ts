/** A client of SQL Server over any stream, for tests of the doors to it: one batch at a time, and what became of it. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { login, ownLogin } from '../../src/kinds/db/engine/sqlserver/login.ts';
import { HEAD_BYTES, packets, readHead, STATUS, TYPE } from '../../src/kinds/db/engine/sqlserver/packets.ts';
import { ENCRYPTION, prelogin } from '../../src/kinds/db/engine/sqlserver/prelogin.ts';
import { readBeginning } from '../../src/kinds/db/engine/sqlserver/replies.ts';
import { batchPayload } from '../../src/kinds/db/engine/sqlserver/sign-in.ts';

const VERSION = Buffer.of(16, 0, 0, 0, 0, 0);
const TDS_8 = 0x08000000;

export class PlainSqlserver {
  readonly over: Promise<unknown>;
  readonly #stream: Duplex;
  #kept = Buffer.alloc(0);
  #message: Buffer[] = [];
  #last: Buffer | undefined;
  #waiting: PromiseWithResolvers<Buffer> | undefined;
  /** The version of TDS that was agreed on. */
  agreed = 0;

  private constructor(stream: Duplex) {
    this.#stream = stream;
    this.over = once(stream, 'close').catch(() => {});
    stream.on('error', () => {});
    stream.on('data', (piece: Buffer) => this.#hear(piece));
    stream.on('end', () => stream.end());
    stream.on('close', () => this.#waiting?.reject(new Error(wordsOf(this.#last) ?? 'it was closed without a word')));
  }

  /** Throws in the server's words, or the gateway's. */
  static async open(stream: Duplex, database = ''): Promise<PlainSqlserver> {
    const client = new PlainSqlserver(stream);
    await client.#ask(prelogin(TYPE.prelogin, { version: VERSION, encryption: ENCRYPTION.notSupported }));
    const own = ownLogin();
    own.fixed.writeUInt32LE(TDS_8, 4);
    const said = await client.#ask(login(own, { user: 'anybody' }, 'ignored', database));
    const wrong = wordsOf(said);
    if (wrong !== undefined) throw new Error(wrong);
    client.agreed = readBeginning(said).agreed?.readUInt32BE() ?? 0;
    return client;
  }

  /** Gives all that was answered, without its zeros: names and values of plain letters are found in it. */
  async run(sql: string): Promise<string> {
    const answer = await this.#ask(packets(TYPE.batch, batchPayload(sql)));
    const wrong = wordsOf(answer);
    if (wrong !== undefined) throw new Error(wrong);
    return answer.toString('latin1').replaceAll('\0', '');
  }

  drop(): void {
    this.#stream.destroy();
  }

  #ask(bytes: Buffer): Promise<Buffer> {
    this.#last = undefined;
    this.#waiting = Promise.withResolvers();
    this.#stream.write(bytes);
    return this.#waiting.promise;
  }

  #hear(piece: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, piece]);
    while (this.#kept.length >= HEAD_BYTES) {
      const { length, status } = readHead(this.#kept);
      if (this.#kept.length < length) return;
      this.#message.push(this.#kept.subarray(HEAD_BYTES, length));
      this.#kept = this.#kept.subarray(length);
      if ((status & STATUS.last) === 0) continue;
      this.#last = Buffer.concat(this.#message);
      this.#message = [];
      this.#waiting?.resolve(this.#last);
    }
  }
}

function wordsOf(answer: Buffer | undefined): string | undefined {
  const error = answer && readBeginning(answer).error;
  return error && `${error.number} ${error.text}`;
}
