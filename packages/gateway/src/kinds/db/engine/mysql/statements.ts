/** Which answer belongs to which command on one connection, and which commands do not reach the server at all. */
import { BoundedMap } from '../../../../platform/std/bounded-map.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { hideRepeated, isMasked } from '../mask-secrets.ts';
import { type Outcome, type RowSample, SHORT_CHARACTERS, TOLD_CHARACTERS } from '../statement.ts';
import { Answer } from './answers.ts';
import { CAN, has } from './capabilities.ts';
import { COMMANDS, type CommandRule, refusedName } from './commands.ts';
import type { FieldReader } from './field-reader.ts';
import { Gate } from './gate.ts';
import { type KnownThreads, killMeant } from './kill-meant.ts';
import { databasesUsed, filesAsked, whyForbidden } from './named-in-text.ts';
import { EMPTY, PacketReader, type ReadPacket, type WantedPacket } from './packet-reader.ts';
import { type Done, errorPacket, STATUS } from './packets.ts';
import { type ClientCommand, databaseName, readCommand, slim } from './read-command.ts';
import { bulkValues, executedValues, type Prepared } from './read-values.ts';
import type { RowForm } from './sample-rows.ts';

/** More on their way than that, and the client waits. */
const MAX_WAITING = 4_096;
const ENOUGH_ROOM = 2_048;
/** Of the texts that wait for their answers, for telling which of them failed. */
const MAX_HELD_CHARACTERS = 1024 * 1024;
const MAX_PREPARED = 1_024;
/** The statement that was prepared last, whatever its number. */
const LAST_PREPARED = 0xffff_ffff;
const MAX_SENT_BEFORE = 1_024;
const NO_FILES: ReadonlySet<string> = new Set();
const SAMPLED_FORMS: Partial<Record<ClientCommand['what'], RowForm>> = { query: 'text', execute: 'binary' };

export const ERROR_CODES = { noDatabase: 1044, unknownCommand: 1047, shutdown: 1053, malformed: 1835 } as const;

export interface StatementTeller {
  /** At once, before any answer; not for what nobody is told of. `query` as in `answered`. */
  asked(command: ClientCommand, query: string): void;
  /** Once for each that was asked. `query`: as much of its text as is known, for what was prepared before too. */
  answered(command: ClientCommand, outcome: Outcome, query: string, sample?: RowSample): void;
}

export interface StatementRules extends KnownThreads {
  /** Whether this database may be used from now on; asked before the server hears of it. */
  mayUse(database: string): boolean;
  /** What was set at the sign-in stays: a client that resets its connection would undo it. */
  keepsSettings?: boolean;
}

interface Pacing {
  /** The client is read no further, until there is room again. */
  full(): void;
  room(): void;
  /** The client is told, behind everything that has passed. */
  say(bytes: Buffer): void;
}

export interface StatementOptions {
  /** As client and server have agreed. */
  capabilities: number;
  backslashes: boolean;
  isSampled?: boolean;
  now?: () => number;
}

interface Waiting {
  command: ClientCommand;
  query: string;
  at: number;
  answer: Answer;
  /** By the server. */
  isAnswered: boolean;
  /** Files of the client that its text names. */
  files: ReadonlySet<string>;
  /** The number of the packet that comes next in this exchange. */
  next: number;
  /** Said by us, once everything before it is answered. */
  refusal: Refusal | undefined;
}

interface Refusal {
  code: number;
  words: string;
}

export class Statements {
  readonly client: PacketReader;
  readonly server: PacketReader;
  readonly #toServer: Gate;
  readonly #teller: StatementTeller;
  readonly #rules: StatementRules;
  readonly #pacing: Pacing;
  readonly #options: StatementOptions;
  readonly #now: () => number;
  /** The oldest first, from `#first` on. */
  #waiting: Waiting[] = [];
  #first = 0;
  #heldCharacters = 0;
  #isFull = false;
  /** The client has said that it leaves: what it asked before is still meant. */
  hasSaidGoodbye = false;
  #headSince = 0;
  #answeredUpTo = 0;
  #backslashes: boolean;
  #rule: CommandRule | undefined;
  #number = 0;
  #refusal: Refusal | undefined;
  /** Our own words between those of the server; undefined while it says nothing. */
  #inserted: { at: number; bytes: Buffer }[] | undefined;
  /** What the client had heard before a piece that is not passed on. */
  #cut: { next: number; isBetween: boolean } | undefined;
  readonly #prepared = new BoundedMap<number, Prepared>(MAX_PREPARED);
  #lastPrepared: Prepared | undefined;

  constructor(teller: StatementTeller, rules: StatementRules, pacing: Pacing, options: StatementOptions) {
    this.#teller = teller;
    this.#rules = rules;
    this.#pacing = pacing;
    this.#options = options;
    this.#backslashes = options.backslashes;
    this.#now = options.now ?? (() => performance.now());
    this.client = new PacketReader({
      begin: (first, sequence) => this.#beginCommand(first, sequence),
      filled: (body) => this.#decide(body),
      read: (packet) => this.#readClient(packet),
    });
    this.server = new PacketReader({
      begin: (first, sequence, length) => this.#beginAnswer(first, sequence, length),
      read: ({ body }) => this.#hear(body),
    });
    this.#toServer = new Gate(this.client);
  }

  /** Whether something runs at the server. */
  get isBusy(): boolean {
    return this.#waiting.length > this.#first;
  }

  /** The number that a packet to the client has now. */
  get nextSequence(): number {
    return this.#cut?.next ?? this.#waiting[this.#first]?.next ?? 1;
  }

  /** Whether the client has heard whole packets, and nothing of another one. */
  get isBetween(): boolean {
    return this.#cut?.isBetween ?? this.server.isBetween;
  }

  /** Gives what of it, and of what was held back before, reaches the server. */
  lookAtClient(piece: Buffer): Buffer {
    return this.#toServer.pass(piece);
  }

  /** Gives what the client hears: the piece, with our own words where they belong. */
  lookAtServer(piece: Buffer): Buffer {
    const before = this.server.seen;
    const inserted: { at: number; bytes: Buffer }[] = [];
    this.#inserted = inserted;
    const heard = { next: this.nextSequence, isBetween: this.server.isBetween };
    try {
      this.server.feed(piece);
    } catch (error) {
      this.#cut = heard;
      throw error;
    } finally {
      this.#inserted = undefined;
    }
    if (inserted.length === 0) return piece;
    const parts: Buffer[] = [];
    let from = 0;
    for (const { at, bytes } of inserted) {
      parts.push(piece.subarray(from, at - before), bytes);
      from = at - before;
    }
    return Buffer.concat([...parts, piece.subarray(from)]);
  }

  /** Gives no more than the rest of the packet that has begun: nothing of ours stands behind it but the reason of the end. */
  lookAtRest(piece: Buffer): Buffer {
    this.#inserted = [];
    const size = this.server.feedRest(piece);
    this.#inserted = undefined;
    return piece.subarray(0, size);
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

  #beginCommand(first: number, sequence: number): WantedPacket | undefined {
    // The content of a file, up to an empty packet; each bears the number behind the one before.
    if (this.#waiting[this.#first]?.answer.file !== undefined) return first === EMPTY ? { keep: 0 } : undefined;
    if (first === EMPTY) throw malformed('an empty packet where a command is next');
    if (sequence !== 0) throw malformed(`a packet with the number ${sequence} where a command begins`);
    this.#rule = COMMANDS.get(first);
    this.#number = first;
    this.#refusal = undefined;
    if (this.#rule?.name === 'resetConnection' && this.#rules.keepsSettings) {
      this.#refuse(ERROR_CODES.unknownCommand, 'resetting does not pass here: it would undo limits; connect anew');
      return this.#rule;
    }
    if (this.#rule) {
      if (this.#rule.isHeld) this.#toServer.hold();
      return this.#rule;
    }
    this.#refuse(ERROR_CODES.unknownCommand, `the command ${refusedName(first)} does not pass here`);
    return { keep: 0 };
  }

  /** Of what is held back, before its end: the server would act on it then. */
  #decide(body: Buffer): void {
    if (!this.#rule?.isHeld || this.#refusal) return;
    const used =
      this.#rule.name === 'useDatabase'
        ? [databaseName(body, body.length)]
        : databasesUsed(body.toString('utf8', 1), this.#backslashes);
    const wrong = whyForbidden(used, this.#rules);
    const meant = this.#rule.name === 'query' ? killMeant(body, this.#rules) : undefined;
    if (meant) this.#toServer.replace(meant);
    else if (wrong === undefined) this.#toServer.letGo();
    else this.#refuse(ERROR_CODES.noDatabase, wrong);
  }

  #refuse(code: number, words: string): void {
    this.#refusal = { code, words };
    this.#toServer.drop();
  }

  #readClient(packet: ReadPacket): void {
    const head = this.#waiting[this.#first];
    if (head?.answer.file !== undefined) {
      head.next = this.client.sequence + 1;
      head.answer.fileSent();
      return;
    }
    if (packet.length <= (this.#rule?.keep ?? 0)) this.#decide(packet.body);
    const command: ClientCommand = this.#rule
      ? readCommand(this.#rule.name, packet, {
          backslashes: this.#backslashes,
          values: (fields, statement) => this.#valuesOf(fields, statement, packet),
        })
      : { what: 'refused', command: refusedName(this.#number) };
    this.#toServer.endOfPacket();
    if (this.#rule?.name === 'quit') this.hasSaidGoodbye = true;
    this.#ask(command, packet.body);
  }

  #ask(command: ClientCommand, body: Buffer): void {
    const room = this.#heldCharacters < MAX_HELD_CHARACTERS ? TOLD_CHARACTERS : SHORT_CHARACTERS;
    const query = this.#textOf(command, room);
    const shape = this.#refusal ? 'none' : (this.#rule?.answer ?? 'none');
    const sampled = this.#options.isSampled ? SAMPLED_FORMS[command.what] : undefined;
    const answer = new Answer(shape, this.#options.capabilities, { sampled });
    const files = command.what === 'query' ? this.#filesIn(body) : NO_FILES;
    const next = this.client.sequence + 1;
    const refusal = this.#refusal;
    const isAnswered = !answer.isOver;
    const waiting = { command: slim(command), query, at: this.#now(), answer, isAnswered, files, next, refusal };
    if (command.what !== 'other') this.#teller.asked(command, query);
    if (!isAnswered && !refusal) {
      this.#tell(waiting);
      return;
    }
    this.#waiting.push(waiting);
    this.#heldCharacters += query.length;
    if (refusal) this.#sayRefusals();
    if (this.#waiting.length - this.#first <= MAX_WAITING || this.#isFull) return;
    this.#isFull = true;
    this.#pacing.full();
  }

  /** A client that has not said that it sends files is asked for none. */
  #filesIn(body: Buffer): ReadonlySet<string> {
    if (!has(this.#options.capabilities, CAN.localFiles)) return NO_FILES;
    return filesAsked(body.toString('utf8', 1), this.#backslashes);
  }

  /** Numbers say which statement is meant. */
  #textOf(command: ClientCommand, room: number): string {
    if (command.what === 'query' || command.what === 'prepare') return beginningOf(command.query.text, room);
    if (!('statement' in command)) return '';
    const prepared = this.#preparedAs(command.statement);
    if (command.what === 'closeStatement') this.#prepared.delete(command.statement);
    else if (command.what === 'sendLongData' && prepared && prepared.sentBefore.size < MAX_SENT_BEFORE)
      prepared.sentBefore.add(command.parameter);
    else if (command.what !== 'fetch') prepared?.sentBefore.clear();
    return prepared?.query ?? '';
  }

  #preparedAs(statement: number): Prepared | undefined {
    return statement === LAST_PREPARED ? this.#lastPrepared : this.#prepared.get(statement);
  }

  /** Values are told as far as they can be read: a packet that is too long for that, or made otherwise, is the server's to judge. */
  #valuesOf(fields: FieldReader, statement: number, { body, length }: ReadPacket): readonly string[] {
    const prepared = this.#preparedAs(statement);
    if (!prepared) return [];
    if (length > body.length) return ['…'];
    try {
      return this.#rule?.name === 'bulkExecute' ? bulkValues(fields, prepared) : executedValues(fields, prepared);
    } catch {
      return ['…'];
    }
  }

  #beginAnswer(first: number, sequence: number, length: number): WantedPacket | undefined {
    const head = this.#waiting[this.#first];
    if (!head) {
      // A server that shuts down, or has waited too long, says so to nobody in particular.
      if (first !== 0xff) throw malformed('an answer that nobody has asked for');
      return undefined;
    }
    head.next = sequence + 1;
    return head.answer.begin(first, length);
  }

  #hear(body: Buffer): void {
    const head = this.#waiting[this.#first];
    if (!head) return;
    head.next = this.server.sequence + 1;
    const done = head.answer.read(body);
    if (done) this.#heed(done);
    if (head.answer.file !== undefined) this.#checkFile(head, head.answer.file);
    if (!head.answer.isOver) return;
    const { prepared, failure } = head.answer;
    if (prepared && !failure) {
      this.#lastPrepared = { query: head.query, parameters: prepared.parameters, types: [], sentBefore: new Set() };
      this.#prepared.set(prepared.statement, this.#lastPrepared);
    }
    this.#tell(this.#shift() as Waiting);
    this.#sayRefusals();
  }

  #heed({ status, schema }: Done): void {
    this.#backslashes = (status & STATUS.noBackslashEscapes) === 0;
    // By a text that was put together at the server, which nobody could read before.
    if (schema !== undefined && schema !== '' && !this.#rules.mayUse(schema))
      throw new DbFailure('unsafe', `a change to the database '${schema}', which may not be used`);
  }

  /** A hostile server asks for whatever it likes: clients would send it. */
  #checkFile({ files }: Waiting, file: string): void {
    if (!files.has(file))
      throw new DbFailure('unsafe', `a request for the file '${file}', which the statement does not name`);
    if (this.#waiting.length - this.#first > 1 || !this.client.isBetween)
      throw malformed('a request for a file while more commands are on their way');
  }

  /** Those that are next: everything before them is answered. */
  #sayRefusals(): void {
    for (let head = this.#waiting[this.#first]; head?.refusal; head = this.#waiting[this.#first]) {
      const words = errorPacket(head.next, head.refusal.code, head.refusal.words);
      if (this.#inserted) this.#inserted.push({ at: this.server.seen, bytes: words });
      else this.#pacing.say(words);
      this.#tell(this.#shift() as Waiting);
    }
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
      this.#pacing.room();
    }
    return head;
  }

  #tell({ command, query, at, answer, refusal, isAnswered }: Waiting, unanswered?: string): void {
    const bytes = isAnswered ? this.server.seen - this.#answeredUpTo : 0;
    if (isAnswered) this.#answeredUpTo = this.server.seen;
    if (command.what === 'other') return;
    const failure = answer.failure ?? (refusal && { code: String(refusal.code), message: refusal.words });
    const ok = !failure && unanswered === undefined;
    const hides = ('query' in command && command.query.hasSecret) || isMasked(query);
    const error = failure ? (hides ? hideRepeated(failure.message) : failure.message) : (unanswered ?? '');
    const outcome = { ok, tag: answer.info, code: failure?.code ?? '', error, rows: answer.rows, bytes };
    this.#teller.answered(command, { ...outcome, ms: this.#now() - at }, query, answer.sample());
  }
}

/** A copy: a slice of a text would keep all of it. */
function beginningOf(text: string, room: number): string {
  return text.length <= room ? text : Buffer.from(text.slice(0, room)).toString();
}
