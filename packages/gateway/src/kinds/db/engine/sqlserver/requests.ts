/** Which answer belongs to which request on one connection, what is judged before it passes, and what is told of each. */
import { malformed } from '../db-failure.ts';
import { hideRepeated, isMasked } from '../mask-secrets.ts';
import type { Outcome, RowSample } from '../statement.ts';
import { errorReply, HEAD_BYTES, readHead, STATUS, STOPPED, TYPE } from './packets.ts';
import { BULK, readRequest, type SqlRequest } from './read-request.ts';
import { type Reply, ReplyReader } from './replies.ts';
import { databasesUsed, MAX_DATABASES, onlyReads, sameName } from './tsql.ts';

/** It is held as a whole, to be judged before any of it passes. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** The smallest that may be agreed on have 512 bytes. */
const MAX_PACKETS = (2 * MAX_REQUEST_BYTES) / 512;
const HELD: ReadonlySet<number> = new Set([TYPE.batch, TYPE.rpc, TYPE.transaction]);
/** One at a time, and one more that is on its way: several at once is MARS, which was not agreed on. */
const MAX_WAITING = 2;
const NOTHING = Buffer.alloc(0);
/** As the server numbers them. */
export const ERRORS = {
  notInDatabase: 916,
  readOnly: 3906,
  tooLong: 701,
  ended: 596,
  malformed: 4002,
  unread: 8009,
} as const;

export interface RequestRules {
  mayUse(database: string): boolean;
  /** Where the server says that the session is: it may write a name that was asked for in other letters. */
  mayBeIn(database: string): boolean;
  isReadOnly: boolean;
  /** What was run at the sign-in holds for the whole session: it is not begun anew in between. */
  keepsState: boolean;
  /** The beginnings of results are told as well. */
  isSampled: boolean;
}

export interface RequestTeller {
  asked(request: SqlRequest): void;
  /** Once for each that was asked, in its order. */
  answered(request: SqlRequest, outcome: Outcome, sample?: RowSample): void;
}

interface Waiting {
  request: SqlRequest;
  at: number;
}

export class Requests {
  readonly server: ReplyReader;
  readonly #teller: RequestTeller;
  readonly #rules: RequestRules;
  readonly #say: (bytes: Buffer) => void;
  readonly #left: (database: string) => void;
  #rest: Buffer = NOTHING;
  #message: Buffer[] = [];
  #size = 0;
  #open: number | undefined;
  #isRefused = false;
  readonly #waiting: Waiting[] = [];
  /** The last one that was sent before the server was told to stop; undefined while it was not. */
  #stopped: Waiting | undefined;
  #database = '';

  /** `say`: to the client, between two answers; `left`: the session is in a database where it may not be. */
  constructor(
    teller: RequestTeller,
    rules: RequestRules,
    say: (bytes: Buffer) => void,
    left: (database: string) => void,
  ) {
    this.#teller = teller;
    this.#rules = rules;
    this.#say = say;
    this.#left = left;
    this.server = new ReplyReader((reply) => this.#hear(reply), rules.isSampled);
  }

  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#open === TYPE.bulk;
  }

  get isInBulk(): boolean {
    return this.#open === TYPE.bulk;
  }

  get runningMs(): number {
    const [first] = this.#waiting;
    return first ? performance.now() - first.at : 0;
  }

  /** Gives what passes to the server. */
  lookAtClient(piece: Buffer): Buffer {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const passed: Buffer[] = [];
    while (this.#rest.length >= HEAD_BYTES) {
      const { length } = readHead(this.#rest);
      if (this.#rest.length < length) break;
      const packet = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      for (const each of this.#take(packet)) passed.push(each);
    }
    return passed.length === 1 ? (passed[0] as Buffer) : Buffer.concat(passed);
  }

  /** Whether the server is to be told to stop what it runs: it is told once. */
  cancel(): boolean {
    if (this.#stopped) return false;
    this.#stopped = this.#waiting.at(-1);
    return this.#stopped !== undefined;
  }

  close(): void {
    for (const { request, at } of this.#waiting.splice(0))
      this.#tell(request, at, { ok: false, error: 'the connection ended before an answer' });
  }

  #take(packet: Buffer): Buffer[] {
    const { type, status } = readHead(packet);
    if (this.#open !== undefined && type !== this.#open) throw malformed(`a packet of the kind ${type} inside another`);
    const isLast = (status & STATUS.last) !== 0;
    if (type === TYPE.attention) return this.#stop(packet, isLast);
    if (packet.length === HEAD_BYTES && !isLast) throw malformed('an empty packet that is not the last');
    if (type === TYPE.bulk) {
      this.#open = isLast ? undefined : type;
      const wrong = this.#judge(BULK);
      if (isLast && wrong) this.#refuse(BULK, wrong.number, wrong.words);
      else if (isLast) this.#wait(BULK);
      return wrong ? [] : [packet];
    }
    if (!HELD.has(type)) throw malformed(`a packet of the kind ${type}, which is not passed on`);
    this.#open = isLast ? undefined : type;
    this.#size += packet.length;
    if (this.#size > MAX_REQUEST_BYTES) {
      this.#message = [];
      this.#isRefused = true;
    } else this.#message.push(packet);
    if (this.#message.length > MAX_PACKETS) throw malformed('a request in too many packets');
    return isLast ? this.#ask(type, (status & STATUS.ignore) !== 0) : [];
  }

  #stop(packet: Buffer, isLast: boolean): Buffer[] {
    if (packet.length !== HEAD_BYTES || !isLast)
      throw malformed('an attention that is not one packet without anything in it');
    if (this.cancel()) return [packet];
    // Nothing runs, and the server's word for it would be taken for the answer to what is asked next.
    if (!this.#stopped) this.#say(STOPPED);
    return [];
  }

  #ask(type: number, isIgnored: boolean): Buffer[] {
    const message = this.#message;
    const isTooLong = this.#isRefused;
    this.#message = [];
    this.#size = 0;
    this.#isRefused = false;
    // The client has thought better of it: nothing of it has passed.
    if (isIgnored) return [];
    if (isTooLong) {
      const words = `a request of more than ${MAX_REQUEST_BYTES / 1024 / 1024} MiB does not pass: load many rows with a bulk copy`;
      this.#refuse({ ...BULK, query: { text: words, length: words.length } }, ERRORS.tooLong, words);
      return [];
    }
    const request = readRequest(type, Buffer.concat(message.map((packet) => packet.subarray(HEAD_BYTES))));
    const wrong = this.#judge(request);
    if (wrong) {
      this.#refuse(request, wrong.number, wrong.words);
      return [];
    }
    this.#wait(request);
    return this.#rules.keepsState ? message.map(withoutReset) : message;
  }

  #judge({ run, isPlain, what, databases, unread }: SqlRequest): { number: number; words: string } | undefined {
    const { mayUse, isReadOnly } = this.#rules;
    if (unread !== '') return { number: ERRORS.unread, words: unread };
    const used = new Set([...databases, ...run.flatMap(databasesUsed)]);
    if (used.size > MAX_DATABASES)
      return { number: ERRORS.notInDatabase, words: `more than ${MAX_DATABASES} databases in one request` };
    const elsewhere = [...used].find((name) => !mayUse(name));
    if (elsewhere !== undefined)
      return { number: ERRORS.notInDatabase, words: `no role of yours lets you use the database '${elsewhere}' there` };
    if (isReadOnly && (!isPlain || what === 'bulk' || !run.every(onlyReads)))
      return { number: ERRORS.readOnly, words: 'you may only read there, and this may write' };
    return undefined;
  }

  #refuse(request: SqlRequest, number: number, words: string): void {
    if (this.#waiting.length > 0) throw malformed('a request before the answer to the one before');
    this.#teller.asked(request);
    this.#tell(request, performance.now(), { ok: false, code: String(number), error: words });
    this.#say(errorReply(number, words, false));
  }

  #wait(request: SqlRequest): void {
    if (this.#waiting.length >= MAX_WAITING) throw malformed('too many requests at once');
    this.#teller.asked(request);
    // What was judged is not needed any more, and may be long.
    this.#waiting.push({ request: { ...request, run: [] }, at: performance.now() });
  }

  #hear({ isError, isAttention, rows, bytes, said, sample }: Reply): void {
    if (said.database !== undefined) this.#database = sameName(said.database);
    const first = isAttention && !this.#isStopping() ? undefined : this.#waiting.shift();
    if (isAttention) this.#stopped = undefined;
    if (first) {
      const failed = isAttention
        ? { ok: false, error: 'cancelled' }
        : {
            ok: !isError,
            ...(isError
              ? { code: String(said.error?.number ?? ''), error: wordsOf(first.request, said.error?.text ?? 'failed') }
              : {}),
          };
      this.#tell(first.request, first.at, { ...failed, rows, bytes }, sample);
    }
    if (this.#database !== '' && !this.#rules.mayBeIn(this.#database)) this.#left(this.#database);
  }

  /** What was to be stopped has no answer yet; otherwise that it was stopped answers nothing more. */
  #isStopping(): boolean {
    return this.#stopped !== undefined && this.#waiting.includes(this.#stopped);
  }

  #tell(request: SqlRequest, at: number, came: Partial<Outcome> & { ok: boolean }, sample?: RowSample): void {
    const nothing = { tag: '', code: '', error: '', rows: 0, bytes: 0 };
    this.#teller.answered(request, { ...nothing, ...came, ms: performance.now() - at }, sample);
  }
}

/** Servers repeat what they could not read. */
function wordsOf({ query }: SqlRequest, error: string): string {
  return query.hasSecret || isMasked(query.text) ? hideRepeated(error) : error;
}

function withoutReset(packet: Buffer): Buffer {
  const status = packet[1] ?? 0;
  const kept = status & ~(STATUS.reset | STATUS.resetKeepingTransaction);
  if (kept === status) return packet;
  const changed = Buffer.from(packet);
  changed[1] = kept;
  return changed;
}
