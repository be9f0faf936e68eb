/** Takes the packets off what SQL Server answers, and hands on what is inside, with where an answer ends. */
import { malformed } from '../../engine/db-failure.ts';
import { HEAD_BYTES, readHead, STATUS, TYPE } from '../../engine/sqlserver/packets.ts';

const NOTHING: Buffer = Buffer.alloc(0);

export class PacketFeed {
  readonly #take: (part: Buffer) => Promise<void> | undefined;
  readonly #end: () => void;
  #head: Buffer = NOTHING;
  #left = 0;
  #isLast = false;

  /** `take` may wait: nothing is handed on meanwhile. */
  constructor(take: (part: Buffer) => Promise<void> | undefined, end: () => void) {
    this.#take = take;
    this.#end = end;
  }

  feed(piece: Buffer): Promise<void> | undefined {
    let at = 0;
    while (at < piece.length) {
      if (this.#left === 0) {
        at = this.#readHead(piece, at);
        if (this.#left === 0 && this.#isLast && this.#head.length === 0) this.#over();
        continue;
      }
      const part = piece.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      const waits = this.#take(part);
      if (waits) return this.#later(waits, piece.subarray(at));
      if (this.#left === 0 && this.#isLast) this.#over();
    }
    return undefined;
  }

  async #later(waits: Promise<void>, rest: Buffer): Promise<void> {
    await waits;
    if (this.#left === 0 && this.#isLast) this.#over();
    await this.feed(rest);
  }

  #over(): void {
    this.#isLast = false;
    this.#end();
  }

  #readHead(piece: Buffer, at: number): number {
    const part = piece.subarray(at, at + HEAD_BYTES - this.#head.length);
    this.#head = Buffer.concat([this.#head, part]);
    if (this.#head.length < HEAD_BYTES) return at + part.length;
    const { type, status, length } = readHead(this.#head);
    if (type !== TYPE.reply) throw malformed(`a packet of the kind ${type} from a server`);
    this.#head = NOTHING;
    this.#left = length - HEAD_BYTES;
    this.#isLast = (status & STATUS.last) !== 0;
    return at + part.length;
  }
}
