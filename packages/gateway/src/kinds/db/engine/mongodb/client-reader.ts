/** Cuts what a client sends into messages. Small ones are there whole before anything of them passes; of larger ones the end is held back until it is known what they are. */
import { createHash, type Hash } from 'node:crypto';
import { malformed } from '../db-failure.ts';
import { BodySkim } from './body-skim.ts';
import { HEAD_BYTES, type MessageHead, OP, readHead } from './messages.ts';
import { isSought, MarkSeeker } from './named-databases.ts';

/** Longer messages hold documents to be written: what the command says of itself is seen while they pass. */
export const MAX_WHOLE_BYTES = 64 * 1024;
const WANTED: ReadonlySet<string> = new Set(['$db']);
const NONE = Buffer.alloc(0);

export interface LargeMessage {
  head: MessageHead;
  skim: BodySkim;
  /** As much of it as is shown. */
  beginning: Buffer;
  /** The beginning of the command itself, which may stand behind long lists. */
  body: Buffer;
  /** Somewhere in it stands what may name another database. */
  hasMarks: boolean;
  sha256: string;
}

export interface ClientReaderDeps {
  /** Gives what passes of it. */
  whole(message: Buffer, head: MessageHead): Buffer;
  /** Before its end passes. Throws where it may not: nobody does half of a command. */
  large(message: LargeMessage): void;
}

interface Passing {
  body: Buffer[];
  bodySize: number;
  head: MessageHead;
  skim: BodySkim;
  marks: MarkSeeker;
  parts: Buffer[];
  size: number;
  left: number;
  hash: Hash;
}

export class ClientReader {
  readonly #deps: ClientReaderDeps;
  #held: Buffer = NONE;
  #passing: Passing | undefined;

  constructor(deps: ClientReaderDeps) {
    this.#deps = deps;
  }

  /** Gives what passes. Throws where it is no message, or one that may not pass. */
  feed(piece: Buffer): Buffer {
    const passed: Buffer[] = [];
    let rest = piece;
    if (this.#held.length > 0) {
      rest = Buffer.concat([this.#held, piece]);
      this.#held = NONE;
    }
    while (rest.length > 0) {
      const taken = this.#passing ? this.#pass(rest, this.#passing, passed) : this.#begin(rest, passed);
      if (taken === 0) {
        this.#held = Buffer.from(rest);
        break;
      }
      rest = rest.subarray(taken);
    }
    return passed.length === 1 ? passed[0]! : Buffer.concat(passed);
  }

  #begin(bytes: Buffer, passed: Buffer[]): number {
    if (bytes.length < HEAD_BYTES) return 0;
    const head = readHead(bytes);
    if (head.op !== OP.msg && head.op !== OP.query) throw malformed(`a message of the kind ${head.op}`);
    if (head.length <= MAX_WHOLE_BYTES) {
      if (bytes.length < head.length) return 0;
      passed.push(this.#deps.whole(bytes.subarray(0, head.length), head));
      return head.length;
    }
    const start = HEAD_BYTES + 4;
    if (head.op !== OP.msg) throw malformed(`a message of the kind ${head.op} of ${head.length} bytes`);
    if (bytes.length < start) return 0;
    const skim = new BodySkim(WANTED, { flags: bytes.readUInt32LE(HEAD_BYTES), length: head.length });
    this.#passing = {
      ...{ head, skim, parts: [], size: 0, left: head.length - start, hash: createHash('sha256') },
      ...{ body: [], bodySize: 0, marks: new MarkSeeker() },
    };
    this.#keep(this.#passing, bytes.subarray(0, start));
    passed.push(bytes.subarray(0, start));
    return start;
  }

  #pass(bytes: Buffer, passing: Passing, passed: Buffer[]): number {
    const part = bytes.subarray(0, Math.min(passing.left, bytes.length));
    const from = passing.head.length - passing.left;
    passing.left -= part.length;
    // Before it is known what it is, too: lists may stand before the command.
    if (isSought(passing.skim.command)) passing.marks.feed(part);
    passing.skim.feed(part);
    this.#keep(passing, part);
    this.#keepBody(passing, part, from);
    if (passing.left === 0) {
      const { head, skim, marks, parts, hash, body } = passing;
      this.#passing = undefined;
      skim.close();
      this.#deps.large({
        head,
        skim,
        beginning: Buffer.concat(parts),
        body: Buffer.concat(body),
        hasMarks: marks.hasFound,
        sha256: hash.digest('hex'),
      });
    }
    passed.push(part);
    return part.length;
  }

  /** `from`: where the part begins in the message. */
  #keepBody(passing: Passing, part: Buffer, from: number): void {
    const { body } = passing.skim;
    if (!body || passing.bodySize >= MAX_WHOLE_BYTES) return;
    if (passing.bodySize === 0) {
      const size = Buffer.alloc(4);
      size.writeInt32LE(body.size);
      passing.body.push(size);
      passing.bodySize = size.length;
    }
    const end = Math.min(body.at - 4 + body.size, body.at - 4 + MAX_WHOLE_BYTES);
    const at = body.at - 4 + passing.bodySize;
    const kept = part.subarray(at - from, Math.max(at - from, Math.min(part.length, end - from)));
    passing.body.push(Buffer.from(kept));
    passing.bodySize += kept.length;
  }

  #keep(passing: Passing, part: Buffer): void {
    passing.hash.update(part);
    const kept = part.subarray(0, MAX_WHOLE_BYTES - passing.size);
    if (kept.length === 0) return;
    passing.parts.push(Buffer.from(kept));
    passing.size += kept.length;
  }
}
