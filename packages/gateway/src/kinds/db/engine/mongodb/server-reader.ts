/** Looks at a server's answers while they pass: which question each answers, how it went, and where it ends. */
import { malformed } from '../db-failure.ts';
import { KeptBeginning } from '../kept-beginning.ts';
import { BodySkim } from './body-skim.ts';
import { HEAD_BYTES, type MessageHead, OP, readHead } from './messages.ts';

const WANTED: ReadonlySet<string> = new Set(['ok', 'errmsg', 'code', 'n']);
/** Head and flags. */
const START_BYTES = HEAD_BYTES + 4;
const MORE_TO_COME = 2;
const NONE = Buffer.alloc(0);

export interface Answer {
  head: MessageHead;
  /** Undefined of old answers, which only hello has. */
  skim: BodySkim | undefined;
  /** Another one follows that nobody asks for. */
  moreToCome: boolean;
  /** Of what stands behind its flags, where that is kept, and how much that is; it is gone when it was heard. */
  beginning?: Buffer;
  size: number;
}

export class ServerReader {
  readonly #heard: (answer: Answer) => void;
  #start: Buffer = NONE;
  #answer: Answer | undefined;
  #left = 0;
  readonly #beginning: KeptBeginning | undefined;

  constructor(heard: (answer: Answer) => void, keepsBeginning = false) {
    this.#heard = heard;
    this.#beginning = keepsBeginning ? new KeptBeginning() : undefined;
  }

  get isBetween(): boolean {
    return this.#answer === undefined && this.#start.length === 0;
  }

  /** Gives where the last message ended in this piece; -1: nowhere. Stops there when only that is wanted. */
  feed(piece: Buffer, toFirstEnd = false): number {
    let last = -1;
    for (let at = 0; at < piece.length; ) {
      at += this.#answer ? this.#pass(piece.subarray(at), this.#answer) : this.#begin(piece.subarray(at));
      if (!this.isBetween) continue;
      last = at;
      if (toFirstEnd) return last;
    }
    return last;
  }

  #begin(bytes: Buffer): number {
    const taken = Math.min(START_BYTES - this.#start.length, bytes.length);
    this.#start = Buffer.concat([this.#start, bytes.subarray(0, taken)]);
    if (this.#start.length < START_BYTES) return taken;
    const head = readHead(this.#start);
    const flags = this.#start.readUInt32LE(HEAD_BYTES);
    this.#start = NONE;
    if (head.op !== OP.msg && head.op !== OP.reply) throw malformed(`a message of the kind ${head.op}`);
    const isMsg = head.op === OP.msg;
    const skim = isMsg ? new BodySkim(WANTED, { flags, length: head.length }) : undefined;
    this.#left = head.length - START_BYTES;
    this.#answer = { head, skim, moreToCome: isMsg && (flags & MORE_TO_COME) !== 0, size: this.#left };
    return taken;
  }

  #pass(bytes: Buffer, answer: Answer): number {
    const part = bytes.subarray(0, this.#left);
    answer.skim?.feed(part);
    this.#left -= part.length;
    if (this.#left > 0) {
      this.#beginning?.add(part);
      return part.length;
    }
    answer.skim?.close();
    this.#answer = undefined;
    const beginning = this.#beginning?.end(part);
    this.#heard(beginning ? { ...answer, beginning } : answer);
    return part.length;
  }
}
