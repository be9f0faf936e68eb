/** Which answer belongs to which statement on one connection, however many are on their way at once. */
import { BoundedMap } from '../../../../platform/std/bounded-map.ts';
import { malformed } from '../db-failure.ts';
import { hideRepeated, isMasked } from '../mask-secrets.ts';
import {
  KEPT_TEXT_BYTES,
  type Outcome,
  type RowSample,
  SHORT_CHARACTERS,
  type StatementText,
  TOLD_CHARACTERS,
} from '../statement.ts';
import { MessageReader, type ReadMessage } from './message-reader.ts';
import { readServerError } from './messages.ts';
import { type ClientRequest, readRequest } from './read-request.ts';
import { RowSampler, SAMPLED_ROW_BYTES } from './sample-rows.ts';

/** More on their way than that, and the client waits. A server that holds its answers back until there are some kilobytes of them still goes on. */
const MAX_WAITING = 16_384;
const ENOUGH_ROOM = 8_192;
/** Of the texts that wait for their answers, for telling which of them failed. */
const MAX_HELD_CHARACTERS = 1024 * 1024;
const MAX_PREPARED = 256;
const SMALL_BODY = 64 * 1024;
const MAX_NAME_BYTES = 1_024;
const MAX_ANSWER_BYTES = 8_192;
const SAMPLED_ROW = { keep: SAMPLED_ROW_BYTES };

export interface StatementTeller {
  /** At once, before any answer; not for what is only described or synchronised. `query` as in `answered`. */
  asked(request: ClientRequest, query: string): void;
  /** Once for each that was asked. `query`: as much of its text as is known, for what was prepared before too. */
  answered(request: ClientRequest, outcome: Outcome, query: string, sample?: RowSample): void;
}

interface Pacing {
  /** The client is read no further, until there is room again. */
  full(): void;
  room(): void;
}

export interface StatementOptions {
  standardStrings: boolean;
  /** The beginning of each result is told. */
  isSampled?: boolean;
  now?: () => number;
}

interface Waiting {
  request: ClientRequest;
  query: string;
  at: number;
  rows: number;
  tag: string;
  failure: { code: string; message: string } | undefined;
  /** The server reads data for it. */
  isCopying: boolean;
  /** Something of its answer has come. */
  hasBegun: boolean;
}

/** Ends what a client waits for, up to the server being ready again. */
const GROUP_ENDS: ReadonlySet<ClientRequest['what']> = new Set(['query', 'function', 'sync']);
/** Nothing is told of them. */
const UNTOLD: ReadonlySet<ClientRequest['what']> = new Set(['sync', 'describe', 'copyEnd']);
const ACKNOWLEDGES: ReadonlyMap<string, ClientRequest['what']> = new Map([
  ['1', 'parse'],
  ['2', 'bind'],
  ['3', 'close'],
  ['n', 'describe'],
  ['T', 'describe'],
  ['C', 'execute'],
  ['I', 'execute'],
  ['s', 'execute'],
]);

export class Statements {
  readonly client: MessageReader;
  readonly server: MessageReader;
  readonly #teller: StatementTeller;
  readonly #pacing: Pacing;
  readonly #now: () => number;
  /** The oldest first, from `#first` on. */
  #waiting: Waiting[] = [];
  #first = 0;
  #heldCharacters = 0;
  #isFull = false;
  /** Where what is copied now ends, among what was asked; -1: not yet. Not looked for with each request: thousands may stand behind a COPY. */
  #endOfCopy = -1;
  /** The client has said that it leaves: what it asked before is still meant. */
  hasSaidGoodbye = false;
  #headSince = 0;
  #answeredUpTo = 0;
  #standardStrings: boolean;
  /** Only where beginnings of results are kept. */
  readonly #sampler: RowSampler | undefined;
  #last = '';
  /** How often the server may still say that it is ready for a Sync that it may as well have dropped. */
  #spareReady = 0;
  readonly #prepared = new BoundedMap<string, string>(MAX_PREPARED);
  readonly #bound = new BoundedMap<string, string>(MAX_PREPARED);

  constructor(teller: StatementTeller, pacing: Pacing, options: StatementOptions) {
    this.#teller = teller;
    this.#pacing = pacing;
    this.#standardStrings = options.standardStrings;
    this.#now = options.now ?? (() => performance.now());
    const text = { keep: KEPT_TEXT_BYTES, hashed: 'first' } as const;
    this.client = new MessageReader({
      wanted: {
        Q: text,
        P: { ...text, hashed: 'second' },
        B: { keep: SMALL_BODY },
        F: { keep: SMALL_BODY },
        E: { keep: MAX_NAME_BYTES },
        C: { keep: MAX_NAME_BYTES },
        D: { keep: 0 },
        S: { keep: 0 },
        c: { keep: 0 },
        f: { keep: 0 },
        X: { keep: 0 },
      },
      // A password after the sign-in is none that anybody asked for.
      passed: 'Hd',
      read: (message) => {
        if (message.type === 'X') this.hasSaidGoodbye = true;
        else this.#ask(readRequest(message, this.#standardStrings));
      },
    });
    const small = { keep: MAX_ANSWER_BYTES };
    const none = { keep: 0 };
    this.server = new MessageReader({
      wanted: {
        ...{ C: small, E: small, S: small, I: none, s: none, Z: none, n: none, G: none },
        T: options.isSampled ? small : none,
        ...{ 1: none, 2: none, 3: none },
      },
      passed: 'DdcHWANtVvK',
      read: (message) => this.#hear(message),
    });
    if (!options.isSampled) return;
    this.#sampler = new RowSampler();
    this.server.want('D', SAMPLED_ROW);
  }

  /** Whether something runs at the server. */
  get isBusy(): boolean {
    return this.#waiting.length > this.#first;
  }

  /** How long it is the turn of what is answered next; 0 where nothing runs. */
  get runningMs(): number {
    const head = this.#waiting[this.#first];
    return head ? this.#now() - Math.max(head.at, this.#headSince) : 0;
  }

  /** Nobody answers any more. */
  close(): void {
    for (let next = this.#shift(); next; next = this.#shift())
      this.#tell(next, 'the connection ended before an answer');
  }

  #ask(request: ClientRequest): void {
    this.#refuseInsideCopy(request);
    // Nobody waits for it but who copies.
    if (request.what === 'copyEnd' && !this.isBusy) return;
    const room = this.#heldCharacters < MAX_HELD_CHARACTERS ? TOLD_CHARACTERS : SHORT_CHARACTERS;
    const query = this.#textOf(request, room);
    if (!UNTOLD.has(request.what)) this.#teller.asked(request, query);
    const waiting: Waiting = {
      request: slim(request),
      query,
      at: this.#now(),
      rows: 0,
      tag: '',
      failure: undefined,
      isCopying: false,
      hasBegun: false,
    };
    this.#waiting.push(waiting);
    this.#heldCharacters += query.length;
    if (this.#waiting.length - this.#first <= MAX_WAITING || this.#isFull) return;
    this.#isFull = true;
    this.#pacing.full();
  }

  /** Names say which statement is meant; the empty name is one that is replaced each time. */
  #textOf(request: ClientRequest, room: number): string {
    if (request.what === 'query') return beginningOf(request.query.text, room);
    if (request.what === 'parse') {
      const text = beginningOf(request.query.text, room);
      this.#prepared.set(request.statement, text);
      return text;
    }
    if (request.what === 'bind') {
      const text = this.#prepared.get(request.statement) ?? '';
      this.#bound.set(request.portal, text);
      return text;
    }
    return request.what === 'execute' ? (this.#bound.get(request.portal) ?? '') : '';
  }

  #hear({ type, body, length }: ReadMessage): void {
    if (type === 'T') this.#sampler?.columns(body);
    if (type === 'D') {
      this.#sampler?.row(body, length);
      // The rest is only jumped over.
      if (this.#sampler?.isFull) this.server.want('D', undefined);
      return;
    }
    const head = this.#waiting[this.#first];
    if (type === 'S') this.#hearSetting(body);
    else if (type === 'Z') this.#ready();
    else if (head && type === 'E') this.#fail(head, readServerError(body));
    else if (head && type === 'G') this.#beginCopy(head);
    else if (head) this.#acknowledge(head, type, body);
  }

  #beginCopy(head: Waiting): void {
    head.isCopying = true;
    this.#endOfCopy = this.#waiting.findIndex(({ request }, at) => at > this.#first && request.what === 'copyEnd');
    const isWrong = ({ request }: Waiting, at: number) => at > this.#first && this.#wrongBehindCopy(request, at);
    if (this.#waiting.some(isWrong)) throw malformed('a COPY, in the middle of which something else was asked for');
  }

  #refuseInsideCopy(request: ClientRequest): void {
    if (!this.#waiting[this.#first]?.isCopying) return;
    const wrong = this.#wrongBehindCopy(request, this.#waiting.length);
    if (wrong) throw malformed(wrong);
    if (request.what === 'copyEnd' && this.#endOfCopy < 0) this.#endOfCopy = this.#waiting.length;
  }

  /** The server ends a connection for it, but where COPY has failed: what was run then could not be told. */
  #wrongBehindCopy({ what }: ClientRequest, at: number): string | undefined {
    const end = this.#endOfCopy;
    if (what === 'sync' || what === 'copyEnd') return undefined;
    if (end < 0 || at < end) return 'a request in the middle of COPY';
    // Whether that one runs hangs on a Sync that the server drops, or does not.
    const isDoubtful = this.#waiting[this.#first]?.request.what === 'execute' && end > this.#first + 1;
    return isDoubtful ? 'a request while COPY is not answered' : undefined;
  }

  /** The server has dropped each Sync up to the end of what was copied; where COPY failed, those that it read before. */
  #endCopy(head: Waiting): void {
    head.isCopying = false;
    const end = this.#endOfCopy;
    const from = this.#first + 1;
    const inside = this.#waiting.splice(from, (end < 0 ? this.#waiting.length : end + 1) - from);
    if (head.failure) this.#spareReady += inside.filter(({ request }) => request.what === 'sync').length;
  }

  #acknowledge(head: Waiting, type: string, body: Buffer): void {
    head.hasBegun = true;
    if (type === 'C') {
      if (head.isCopying) this.#endCopy(head);
      head.tag = body.toString('latin1', 0, Math.max(0, body.length - 1));
      head.rows += rowsOf(head.tag);
    }
    if (ACKNOWLEDGES.get(type) === head.request.what) this.#tell(this.#shift() as Waiting);
  }

  #hearSetting(body: Buffer): void {
    const [name, value] = body.toString('utf8').split('\0');
    if (name === 'standard_conforming_strings') this.#standardStrings = value !== 'off';
  }

  /** What comes after it is skipped by the server, up to the next `Sync`. */
  #fail(head: Waiting, failure: { code: string; message: string }): void {
    head.failure ??= failure;
    head.hasBegun = true;
    if (head.isCopying) this.#endCopy(head);
    // The end of a transaction that was left to `Sync` is that of the last statement.
    if (head.request.what === 'sync') head.query = this.#last;
    if (GROUP_ENDS.has(head.request.what)) return;
    this.#tell(this.#shift() as Waiting);
    for (
      let next = this.#waiting[this.#first];
      next && !GROUP_ENDS.has(next.request.what);
      next = this.#waiting[this.#first]
    )
      this.#tell(this.#shift() as Waiting, 'not run: a statement before it failed');
  }

  #ready(): void {
    const head = this.#waiting[this.#first];
    if (head && head.request.what !== 'sync' && !head.hasBegun && this.#spareReady > 0) {
      this.#spareReady -= 1;
      return;
    }
    for (let next = this.#shift(); next; next = this.#shift()) {
      const isEnd = GROUP_ENDS.has(next.request.what);
      this.#tell(next, isEnd ? undefined : 'the database did not answer');
      if (isEnd) return;
    }
  }

  #shift(): Waiting | undefined {
    const head = this.#waiting[this.#first];
    if (!head) return undefined;
    this.#first += 1;
    while (this.#waiting[this.#first]?.request.what === 'copyEnd') this.#first += 1;
    this.#headSince = this.#now();
    this.#heldCharacters -= head.query.length;
    if (this.#first === this.#waiting.length || this.#first > MAX_WAITING) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    if (this.#isFull && this.#waiting.length - this.#first <= ENOUGH_ROOM) {
      this.#isFull = false;
      this.#pacing.room();
    }
    return head;
  }

  #tell({ request, query, at, rows, tag, failure }: Waiting, unanswered?: string): void {
    const bytes = this.server.seen - this.#answeredUpTo;
    this.#answeredUpTo = this.server.seen;
    if (request.what === 'query' || request.what === 'execute') this.#last = query;
    if (request.what === 'describe' || request.what === 'copyEnd' || (request.what === 'sync' && !failure)) return;
    const ok = !failure && unanswered === undefined;
    const hides = ('query' in request && request.query.hasSecret) || isMasked(query);
    const error = failure ? (hides ? hideRepeated(failure.message) : failure.message) : (unanswered ?? '');
    const outcome = { ok, tag, code: failure?.code ?? '', error, rows, bytes, ms: this.#now() - at };
    this.#teller.answered(request, outcome, query, this.#sampleOf(request));
  }

  #sampleOf({ what }: ClientRequest): RowSample | undefined {
    if (!this.#sampler || (what !== 'query' && what !== 'execute')) return undefined;
    this.server.want('D', SAMPLED_ROW);
    return this.#sampler.take();
  }
}

/** A copy: a slice of a text would keep all of it. */
function beginningOf(text: string, room: number): string {
  return text.length <= room ? text : Buffer.from(text.slice(0, room)).toString();
}

const NO_TEXT: StatementText = { text: '', length: 0 };
const SECRET_TEXT: StatementText = { ...NO_TEXT, hasSecret: true };
const NO_VALUES: readonly string[] = [];

/** Without what was told when it was asked: a text waits once, and short. */
function slim(request: ClientRequest): ClientRequest {
  if (request.what === 'query' || request.what === 'parse')
    return { ...request, query: request.query.hasSecret ? SECRET_TEXT : NO_TEXT };
  return request.what === 'bind' || request.what === 'function' ? { ...request, values: NO_VALUES } : request;
}

/** `INSERT 0 5`, `SELECT 5`. */
function rowsOf(tag: string): number {
  const count = /^(?:INSERT \d+|[A-Z]+) (\d{1,15})$/.exec(tag)?.[1];
  return count === undefined ? 0 : Number(count);
}
