/** Which answer belongs to which command on one connection, and what is told of each. */

import { createHash } from 'node:crypto';
import { DbFailure, malformed } from '../db-failure.ts';
import type { Outcome, RowSample, StatementText } from '../statement.ts';
import { elementsOf, textOf, withoutElements } from './bson.ts';
import { ClientReader, type LargeMessage, MAX_WHOLE_BYTES } from './client-reader.ts';
import { type CommandRules, isHello, isTold, refuseCommand, TAKEN_OUT_OF_HELLO } from './judge-command.ts';
import {
  FLAGS,
  HEAD_BYTES,
  type MessageHead,
  OP,
  type Refusal,
  readQuery,
  readSections,
  refusal,
  withBody,
} from './messages.ts';
import { databasesNamed, mayNameOthers } from './named-databases.ts';
import { asksForSecrets, sampleAnswer } from './sample-answer.ts';
import { type Answer, ServerReader } from './server-reader.ts';
import { type ShownCommand, showCommand } from './show-command.ts';

/** More on their way than that, and the client waits. */
const MAX_WAITING = 1_024;
const ENOUGH_ROOM = 512;
/** Of the texts that wait for their answers. */
const MAX_HELD_CHARACTERS = 4 * 1024 * 1024;
const SHORT_CHARACTERS = 256;
/** Of those that are answered again and again: a server may say so of all. */
const MAX_HELD_SAMPLES = 16;
/** Behind the head stand flags. */
const SECTIONS_AT = HEAD_BYTES + 4;
const NOTHING = Buffer.alloc(0);
const NOBODY: ReadonlySet<string> = new Set();

export interface CommandTeller {
  /** At once, before any answer; gives what `answered` is told of it by. */
  asked(command: string, query: StatementText): number;
  /** Once for each, when it is answered or nobody will answer it. `asked` is 0 for what is only told because it failed. */
  answered(command: string, outcome: Outcome, query: StatementText, asked: number, sample?: RowSample): void;
}

export interface CommandsDeps {
  teller: CommandTeller;
  rules: CommandRules;
  /** The beginnings of answers are told. */
  isSampled?: boolean;
  /** To the client, between two answers. */
  reply(message: Buffer): void;
  /** The client is read no further, until there is room again. */
  full(): void;
  room(): void;
  now?: () => number;
}

interface Waiting {
  head: MessageHead;
  command: string;
  query: StatementText;
  isTold: boolean;
  isSampled: boolean;
  asked: number;
  at: number;
  /** Of answers that more follow of. */
  rows?: number;
  bytes?: number;
  sample?: RowSample;
}

export class Commands {
  readonly client: ClientReader;
  readonly server: ServerReader;
  readonly #deps: CommandsDeps;
  readonly #now: () => number;
  readonly #waiting = new Map<number, Waiting>();
  #held = 0;
  #heldSamples = 0;
  #isFull = false;
  #lastAnswer = 0;

  constructor(deps: CommandsDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
    this.client = new ClientReader({
      whole: (message, head) => this.#ask(message, head),
      large: (message) => this.#askLarge(message),
    });
    this.server = new ServerReader((answer) => this.#hear(answer), deps.isSampled);
  }

  /** Whoever only waits for news of the server runs nothing there. */
  get isBusy(): boolean {
    for (const { command } of this.#waiting.values()) if (!isHello(command)) return true;
    return false;
  }

  /** Of the oldest that runs: servers do one after the other. */
  get runningMs(): number {
    for (const { command, at } of this.#waiting.values())
      if (!isHello(command)) return this.#now() - Math.max(at, this.#lastAnswer);
    return 0;
  }

  /** What is answered to whoever still waits, when it is over. */
  lastWords(words: Refusal): Buffer {
    return Buffer.concat([...this.#waiting.values()].map(({ head }) => refusal(head, words)));
  }

  close(): void {
    for (const waiting of this.#waiting.values())
      this.#tell(waiting, { ok: false, error: 'the connection ended before an answer' });
    this.#waiting.clear();
  }

  #ask(message: Buffer, head: MessageHead): Buffer {
    const isQuery = head.op === OP.query;
    const sections = isQuery ? { ...readQuery(message), lists: [], moreToCome: false } : readSections(message);
    const { body, lists, moreToCome } = sections;
    const command = firstName(body);
    if (isQuery && !isHello(command)) throw malformed(`a question of the old kind, '${command}'`);
    if (isHello(command)) {
      const untold = { isTold: false, isSampled: false, asked: 0 };
      this.#wait({ head, command, query: { text: '', length: 0 }, ...untold, at: this.#now() });
      return withBody(message, sections, withoutElements(body, TAKEN_OUT_OF_HELLO));
    }
    const shown = showCommand({ body, lists }, this.#roomForText());
    const sha256 = shown.isWhole ? '' : createHash('sha256').update(message).digest('hex');
    const waiting = this.#told(head, command, shown, message.length, sha256);
    const others = databasesNamed({ command, body, lists });
    const wrong = refuseCommand({ command, database: onlyDatabase(body), bytes: message, others }, this.#deps.rules);
    if (wrong) {
      this.#tell(waiting, { ok: false, code: String(wrong.code), error: wrong.errmsg });
      if (!moreToCome) this.#deps.reply(refusal(head, wrong));
      return NOTHING;
    }
    if (moreToCome) this.#tell(waiting, { ok: true });
    else this.#wait(waiting);
    return message;
  }

  #askLarge({ head, skim, beginning, body, hasMarks, sha256 }: LargeMessage): void {
    const { command } = skim;
    const others = mayNameOthers(command, hasMarks) ? 'any' : NOBODY;
    const shown = showCommand({ body, lists: listsIn(beginning) }, this.#roomForText());
    const waiting = this.#told(head, command, { ...shown, isWhole: false }, head.length, sha256);
    const wrong = isHello(command)
      ? undefined
      : refuseCommand({ command, database: skim.text('$db'), bytes: undefined, others }, this.#deps.rules);
    if (wrong) {
      this.#tell(waiting, { ok: false, code: String(wrong.code), error: wrong.errmsg });
      // Its beginning has passed, its end never will: nothing can follow it.
      throw new DbFailure('refused', wrong.errmsg, { code: String(wrong.code) });
    }
    if (isHello(command)) throw malformed('a greeting that is too long');
    if (beginning.readUInt32LE(HEAD_BYTES) & FLAGS.moreToCome) this.#tell(waiting, { ok: true });
    else this.#wait(waiting);
  }

  #told(head: MessageHead, command: string, shown: ShownCommand, length: number, sha256 = ''): Waiting {
    const { text, hasSecret, isWhole } = shown;
    const more = isWhole || hasSecret || sha256 === '' ? {} : { sha256 };
    const query = { text, length: isWhole ? Buffer.byteLength(text) : Math.max(length, text.length), ...more };
    const told = isTold(command);
    const asked = told ? this.#deps.teller.asked(command, query) : 0;
    const isSampled = told && this.#deps.isSampled === true && !asksForSecrets(command, shown);
    return { head, command, query, isTold: told, isSampled, asked, at: this.#now() };
  }

  #roomForText(): number {
    return this.#held < MAX_HELD_CHARACTERS ? MAX_WHOLE_BYTES : SHORT_CHARACTERS;
  }

  #wait(waiting: Waiting): void {
    if (this.#waiting.has(waiting.head.id)) throw malformed('two commands of the same number');
    this.#waiting.set(waiting.head.id, waiting);
    this.#held += waiting.query.text.length;
    if (this.#waiting.size < MAX_WAITING || this.#isFull) return;
    this.#isFull = true;
    this.#deps.full();
  }

  #hear({ head, skim, moreToCome, beginning, size }: Answer): void {
    this.#lastAnswer = this.#now();
    const waiting = this.#waiting.get(head.answers);
    if (!waiting) return;
    this.#waiting.delete(head.answers);
    this.#held -= waiting.query.text.length;
    const isOk = skim === undefined || skim.number('ok') !== 0;
    const rows = (skim && skim.rows > 0 ? skim.rows : (skim?.number('n') ?? 0)) + (waiting.rows ?? 0);
    const bytes = head.length + (waiting.bytes ?? 0);
    if (waiting.sample) this.#heldSamples -= 1;
    const isRead = isOk && waiting.isSampled && skim !== undefined && waiting.sample === undefined;
    const sample = isRead && beginning ? sampleAnswer(beginning, size) : waiting.sample;
    // Whoever is answered again and again goes on being so, under the number of the last answer; it is told at the end.
    if (moreToCome && !this.#waiting.has(head.id)) {
      this.#held += waiting.query.text.length;
      const next = { ...waiting, rows, bytes, head: { ...waiting.head, id: head.id } };
      const isKept = sample !== undefined && this.#heldSamples < MAX_HELD_SAMPLES;
      if (isKept) this.#heldSamples += 1;
      this.#waiting.set(head.id, isKept ? { ...next, sample: { ...sample, isCut: true } } : next);
      return;
    }
    const failure = isOk ? {} : { code: String(skim?.number('code') ?? ''), error: skim?.text('errmsg') ?? '' };
    this.#tell(waiting, { ok: isOk, rows, bytes, ...failure }, sample);
    if (!this.#isFull || this.#waiting.size > ENOUGH_ROOM) return;
    this.#isFull = false;
    this.#deps.room();
  }

  #tell(waiting: Waiting, came: Partial<Outcome> & { ok: boolean }, sample?: RowSample): void {
    const { command, query, isTold: told, asked, at } = waiting;
    if (!told && came.ok) return;
    if (!told && isHello(command)) return;
    const nothing = { tag: '', code: '', error: '', rows: 0, bytes: 0 };
    this.#deps.teller.answered(command, { ...nothing, ...came, ms: this.#now() - at }, query, asked, sample);
  }
}

function firstName(body: Buffer): string {
  for (const { name } of elementsOf(body)) return name;
  throw malformed('a command without a name');
}

/** Which of two the server would take is not ours to guess. */
function onlyDatabase(body: Buffer): string | undefined {
  let count = 0;
  for (const { name } of elementsOf(body)) if (name === '$db') count += 1;
  if (count > 1) throw malformed("a command that says '$db' twice");
  return textOf(body, '$db');
}

/** Of a message of which only so much is there; they have been checked as they passed. */
function listsIn(message: Buffer): { name: string; documents: Buffer }[] {
  const lists: { name: string; documents: Buffer }[] = [];
  for (let at = SECTIONS_AT; at + 5 <= message.length; ) {
    const section = message.subarray(at + 1, at + 1 + message.readInt32LE(at + 1));
    const stop = section.indexOf(0, 4);
    if (message[at] === 1 && stop > 0)
      lists.push({ name: section.toString('utf8', 4, stop), documents: section.subarray(stop + 1) });
    at += 1 + message.readInt32LE(at + 1);
  }
  return lists;
}
