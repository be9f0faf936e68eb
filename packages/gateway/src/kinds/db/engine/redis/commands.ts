/** Which answer belongs to which command on one connection, however many are on their way at once. */
import { malformed } from '../db-failure.ts';
import type { Outcome, RowSample, StatementText } from '../statement.ts';
import { CommandReader, type ReadCommand } from './command-reader.ts';
import { judgeCommand, wordsToJudge } from './judge-command.ts';
import { type Reply, ReplyReader, type ReplyType } from './reply-reader.ts';
import { codeOf, errorReply } from './resp.ts';
import { sampleReply } from './sample-reply.ts';
import { hideQuoted, showCommand } from './show-command.ts';
import { isSubscribing, Subscriptions } from './subscriptions.ts';

/** More on their way than that, and the client waits. */
const MAX_WAITING = 16_384;
const ENOUGH_ROOM = 8_192;
/** Of the texts that wait for their answers, for telling which of them failed. */
const MAX_TOLD_CHARACTERS = 8_192;
const SHORT_CHARACTERS = 256;
const MAX_HELD_CHARACTERS = 1024 * 1024;
const MAX_TAG_CHARACTERS = 64;
/** Clients send them by themselves, and nothing is learnt or changed by them. */
const NOT_TOLD: ReadonlySet<string> = new Set(['PING', 'HELLO', 'COMMAND']);

export interface AskedCommand {
  /** In capitals. */
  name: string;
  /** Its words between quotes; `length` and hash are of what the client sent. */
  query: StatementText;
}

export interface CommandTeller {
  /** At once, before any answer. */
  asked(command: AskedCommand): void;
  /** Once for each that was asked. `query`: as much of its text as is kept until then. */
  answered(name: string, outcome: Outcome, query: string, sample?: RowSample): void;
}

interface CommandsDeps {
  teller: CommandTeller;
  /** Whether this connection may use the database with this number. */
  mayUse(database: string): boolean;
  /** Whether there is none that it may not. */
  mayUseAll(): boolean;
  isReadOnly?: boolean;
  /** The beginnings of answers are told. */
  isSampled?: boolean;
  /** The client is read no further, until there is room again. */
  full(): void;
  room(): void;
  now?: () => number;
}

interface Waiting {
  name: string;
  isTold: boolean;
  query: string;
  hasSecret: boolean;
  asksForSecrets: boolean;
  refusal: string | undefined;
  at: number;
  bytes: number;
  /** Channels that it names, and confirmations that have come and are still to come. */
  named: number;
  confirmed: number;
  unconfirmed: number | undefined;
  /** The version of the protocol that it asks for. */
  version: string;
}

export class Commands {
  readonly client: CommandReader;
  readonly server: ReplyReader;
  readonly #deps: CommandsDeps;
  readonly #now: () => number;
  readonly #subscriptions = new Subscriptions();
  /** The oldest first, from `#first` on. */
  #waiting: Waiting[] = [];
  #first = 0;
  #heldCharacters = 0;
  #isFull = false;
  #headSince = 0;
  #isInTransaction = false;
  /** Among what the server has queued stands something whose answer may hold a secret. */
  #hasQueuedSecret = false;
  #version = '2';

  constructor(deps: CommandsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
    this.client = new CommandReader({
      needs: wordsToJudge,
      judge: (words) =>
        judgeCommand(words, {
          ...{ isInTransaction: this.#isInTransaction, isReadOnly: deps.isReadOnly ?? false },
          ...{ mayUse: deps.mayUse, mayUseAll: deps.mayUseAll },
        }),
      read: (command) => this.#ask(command),
    });
    this.server = new ReplyReader({
      replace: (type) => this.#replace(type),
      read: (reply, beginning) => this.#hear(reply, beginning),
      keepsBeginning: deps.isSampled ?? false,
    });
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
    const error = 'the connection ended before an answer';
    for (let next = this.#shift(); next; next = this.#shift())
      this.#tell(next, { ok: false, tag: '', code: '', error, rows: next.confirmed });
  }

  #ask({ words, bytes, refusal }: ReadCommand): void {
    const { name, query, hasSecret, asksForSecrets } = showCommand(words, bytes);
    const isTold = !NOT_TOLD.has(name) || refusal !== undefined;
    if (isTold) this.#deps.teller.asked({ name, query });
    if (words.count === 1 && refusal === undefined) {
      if (name === 'MULTI') this.#isInTransaction = true;
      else if (name === 'EXEC' || name === 'DISCARD') this.#isInTransaction = false;
    }
    const room = this.#heldCharacters < MAX_HELD_CHARACTERS ? MAX_TOLD_CHARACTERS : SHORT_CHARACTERS;
    const kept = isTold ? beginningOf(query.text, room) : '';
    this.#heldCharacters += kept.length;
    this.#waiting.push({
      name,
      isTold,
      query: kept,
      hasSecret,
      asksForSecrets,
      refusal,
      at: this.#now(),
      bytes: 0,
      named: words.count - 1,
      confirmed: 0,
      unconfirmed: undefined,
      version: name === 'HELLO' && words.length > 1 ? words.textAt(1) : '',
    });
    if (this.#waiting.length - this.#first <= MAX_WAITING || this.#isFull) return;
    this.#isFull = true;
    this.#deps.full();
  }

  /** In the place of a refused command went one that no server has: its error is not what the client hears. */
  #replace(type: ReplyType): Buffer | undefined {
    const refusal = this.#waiting[this.#first]?.refusal;
    if (refusal === undefined || type === 'push') return undefined;
    if (type === 'error') return errorReply(refusal);
    if (type === 'list' && this.#subscriptions.isListening) return undefined;
    throw malformed('an answer to a command that it cannot have');
  }

  #hear(reply: Reply, beginning: Buffer | undefined): void {
    const head = this.#waiting[this.#first];
    if (reply.type === 'push' || reply.type === 'list') {
      if (head && head.refusal === undefined && isSubscribing(head.name) && head.name.toLowerCase() === reply.first) {
        this.#confirm(head, reply);
        return;
      }
      const isPushed = reply.type === 'push' || (this.#version === '2' && this.#subscriptions.isMessage(reply));
      if (isPushed) {
        this.#subscriptions.hear(reply);
        return;
      }
    }
    // Said before a server hangs up.
    if (!head && reply.type === 'error') return;
    if (!head || (head.refusal !== undefined && reply.type !== 'error'))
      throw malformed('an answer that nobody asked for');
    this.#answer(head, reply, beginning);
  }

  #confirm(head: Waiting, reply: Reply): void {
    head.unconfirmed ??= this.#subscriptions.confirmations(head.name, head.named);
    head.unconfirmed -= 1;
    head.confirmed += 1;
    head.bytes += reply.bytes;
    this.#subscriptions.hear(reply);
    if (head.unconfirmed > 0) return;
    this.#shift();
    this.#tell(head, { ok: true, tag: '', code: '', error: '', rows: head.confirmed });
  }

  #answer(head: Waiting, reply: Reply, beginning: Buffer | undefined): void {
    const isQueued = reply.type === 'line' && reply.text === 'QUEUED';
    // Which of the answers to the transaction is whose could not be told.
    if (isQueued && (head.name === 'HELLO' || isSubscribing(head.name)))
      throw malformed(`an answer to ${head.name} as if it stood inside MULTI`);
    if (head.version !== '' && reply.type !== 'error') this.#version = head.version;
    this.#shift();
    head.bytes += reply.bytes;
    const failure = head.name === 'EXEC' ? reply.innerError : '';
    const error = head.refusal ?? (reply.type === 'error' ? reply.text : failure);
    const isList = reply.type === 'list' || reply.type === 'map';
    const sample = this.#sampleOf(head, reply, beginning);
    if (isQueued) this.#hasQueuedSecret ||= head.asksForSecrets;
    else if (head.name === 'EXEC' || head.name === 'DISCARD') this.#hasQueuedSecret = false;
    this.#tell(
      head,
      {
        ok: error === '' && reply.type !== 'error',
        tag: reply.type === 'line' ? beginningOf(reply.text, MAX_TAG_CHARACTERS) : '',
        code: error === '' ? '' : codeOf(error),
        error: head.hasSecret ? hideQuoted(error) : error,
        rows: isList ? reply.count : 0,
      },
      sample,
    );
  }

  /** A line is told as it is, and an error, too. */
  #sampleOf(head: Waiting, { type, bytes }: Reply, beginning: Buffer | undefined): RowSample | undefined {
    if (!beginning || !head.isTold || type === 'line' || type === 'error') return undefined;
    // The end of a transaction answers all that stands in it.
    const mayHoldSecret = head.asksForSecrets || (head.name === 'EXEC' && this.#hasQueuedSecret);
    return mayHoldSecret ? undefined : sampleReply(beginning, bytes);
  }

  #shift(): Waiting | undefined {
    const head = this.#waiting[this.#first];
    if (!head) return undefined;
    this.#first += 1;
    this.#headSince = this.#now();
    this.#heldCharacters -= head.query.length;
    if (this.#first === this.#waiting.length || this.#first > MAX_WAITING) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    if (this.#isFull && this.#waiting.length - this.#first <= ENOUGH_ROOM) {
      this.#isFull = false;
      this.#deps.room();
    }
    return head;
  }

  #tell({ name, isTold, query, at, bytes }: Waiting, came: Omit<Outcome, 'bytes' | 'ms'>, sample?: RowSample): void {
    if (isTold) this.#deps.teller.answered(name, { ...came, bytes, ms: this.#now() - at }, query, sample);
  }
}

/** A copy: a slice of a text would keep all of it. */
function beginningOf(text: string, room: number): string {
  return text.length <= room ? text : Buffer.from(text.slice(0, room)).toString();
}
