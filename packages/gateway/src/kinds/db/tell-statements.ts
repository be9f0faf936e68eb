/** What is told of the statements of one session, whatever its protocol: each once, with its number, its outcome and as much of its text as there is room for. */

import { createHash } from 'node:crypto';
import type { EventType } from '@gatehouse/contract/events/define-event';
import { dbMalformedPacket, dbQueryFailed } from '@gatehouse/contract/kinds/db/db-events';
import type { z } from 'zod';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { Log } from '../../platform/std/log.ts';
import { wholeCount } from '../../platform/std/whole-count.ts';
import { contextOf } from '../../sessions/host/about-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { StatementSink } from '../../sessions/statements/statement-recorder.ts';
import type { UsedApproval } from './approval/approval-store.ts';
import { type Outcome, type StatementText, TOLD_CHARACTERS } from './engine/statement.ts';
import { StatementFold } from './fold-statements.ts';
import { RecordedStatements } from './recorded-statements.ts';
import { dbSessionFields } from './session-audit.ts';

const TICK_MS = 1_000;
const SAMPLE_BYTES = 256;
/** Of texts that wait for their answers; beyond it only their beginnings are kept. */
const MAX_HELD_CHARACTERS = 1024 * 1024;
const SHORT_CHARACTERS = 256;
/** Of one session, given to the store at a time: beside it, others have their turn. */
const MAX_WRITING = 256;
/** Events that wait for it: with more, the client waits. */
const MAX_UNWRITTEN = 1_000;

export interface StatementTellingDeps {
  events: Pick<EventStream, 'write'>;
  session: Session;
  /** Through which the client came. */
  door: string;
  /** By which it may write. */
  approval?: UsedApproval | undefined;
  /** Of the server's process, as its own log has it. */
  backend: number | undefined;
  /** Undefined: the session is not recorded. */
  recorder: StatementSink | undefined;
  /** Whether values that were bound are told. */
  values: 'kept' | 'hidden';
  log: Log;
  now: () => number;
  /** Something was not written: nothing more may pass that is not told. */
  failed(error: unknown): void;
}

/** The fields of every event of a session, and the facts of one statement. */
export type About = ReturnType<typeof dbSessionFields> & {
  statement: {
    door: string;
    backend: number | undefined;
    approval: string | undefined;
    approved_by: string | undefined;
    n: number;
  };
};
export type Tell = <Fields extends z.ZodRawShape>(
  type: EventType<Fields>,
  fields: z.input<z.ZodObject<Fields>>,
) => void;

export interface AnsweredStatement {
  /** What makes two of the same text different. */
  what: string;
  outcome: Outcome;
  /** As much of its text as is known, where nothing was held for it. */
  query: string;
  /** What was held for it. */
  text?: StatementText | undefined;
  /** What was bound to it. */
  values?: readonly string[] | undefined;
  /** Its number in the recording. */
  recorded?: number | undefined;
  /** Tells one that went well; one that failed is told with its text, in whichever part of the protocol. */
  tell(tell: Tell, about: About, query: string): void;
}

export interface HeldStatement extends StatementText {
  values: readonly string[];
}

/** What the protocols tell through. */
export interface StatementTelling {
  /** The same, for the recording: each run by itself. */
  recorded: RecordedStatements;
  /** Of what nothing comes that is worth waiting for. */
  atOnce(tell: (tell: Tell, about: About) => void): void;
  /** Until its answer; answers come in the order of what was asked. */
  hold(text: StatementText, values?: readonly string[]): void;
  release(): HeldStatement | undefined;
  answered(statement: AnsweredStatement): void;
  /** Values as they may be told. */
  shown(values: readonly string[]): string[];
  behind(): Promise<void> | undefined;
  malformed(side: 'client' | 'server', why: string, sample: Buffer): void;
  close(): Promise<void>;
}

type NumberedAnswer = Pick<AnsweredStatement, 'outcome' | 'query' | 'text' | 'recorded' | 'tell'> & { n: number };

export function tellStatements(deps: StatementTellingDeps): StatementTelling {
  const { events, session, door, backend, values, now } = deps;
  const about = dbSessionFields(session);
  const { id: approval, by: approved_by } = deps.approval ?? {};
  const where = { door, backend, approval, approved_by };
  const context = { ...contextOf(session), about };
  const recorded = new RecordedStatements(deps.recorder, backend);
  const unwritten: (() => Promise<void>)[] = [];
  let writing = 0;
  let idle: PromiseWithResolvers<void> | undefined;
  let room: PromiseWithResolvers<void> | undefined;
  const waiting: HeldStatement[] = [];
  let held = 0;
  let n = 0;

  const write: Tell = (type, fields) => {
    unwritten.push(() => events.write(type, fields, context, 'soon'));
    writeNext();
  };
  const written = () => {
    writing -= 1;
    writeNext();
    if (writing > 0) return;
    idle?.resolve();
    idle = undefined;
  };
  const unwritable = (error: unknown) => {
    deps.log.error({ error, session: session.id }, 'a statement could not be told');
    deps.failed(error);
    written();
  };
  const writeNext = () => {
    while (writing < MAX_WRITING) {
      const next = unwritten.shift();
      if (!next) break;
      const done = next();
      writing += 1;
      void done.then(written, unwritable);
    }
    if (unwritten.length > MAX_UNWRITTEN / 2) return;
    room?.resolve();
    room = undefined;
  };
  const tell = (told: NumberedAnswer, count: number) => {
    const { outcome, text } = told;
    const { ms, rows, bytes } = outcome;
    const { length, sha256 } = wholeOf(text);
    const statement = {
      door,
      backend,
      approval,
      approved_by,
      n: told.n,
      recorded: told.recorded,
      ms: Math.round(ms * 10) / 10,
      rows: wholeCount(rows),
      bytes: wholeCount(bytes),
      count: count > 1 ? count : undefined,
      length,
      sha256,
    };
    const query = told.query.slice(0, TOLD_CHARACTERS);
    if (outcome.ok) return told.tell(write, { ...about, statement }, query);
    const error = outcome.code ? `${outcome.error} (${outcome.code})` : outcome.error;
    write(dbQueryFailed, { ...about, statement, db_query: query, success: false, error });
  };
  const fold = new StatementFold<NumberedAnswer>(tell, now);
  const timer = setInterval(() => fold.tick(), TICK_MS).unref();

  return {
    recorded,
    atOnce(request) {
      n += 1;
      request(write, { ...about, statement: { ...where, n } });
    },
    hold(text, values = []) {
      const hasRoom = held < MAX_HELD_CHARACTERS;
      const room = hasRoom ? TOLD_CHARACTERS : SHORT_CHARACTERS;
      // A copy: a slice of a text would keep all of it.
      const kept = text.text.length > room ? Buffer.from(text.text.slice(0, room)).toString() : text.text;
      const more = text.text.length > room ? hashOf(text) : {};
      const statement = { ...text, ...more, text: kept, values: hasRoom || values.length === 0 ? values : ['…'] };
      waiting.push(statement);
      held += charactersIn(statement);
    },
    release() {
      const statement = waiting.shift();
      held -= statement ? charactersIn(statement) : 0;
      return statement;
    },
    answered(statement) {
      n += 1;
      const { what, outcome, text, values: bound = [] } = statement;
      const query = text?.text ?? statement.query;
      const { length = '', sha256 = '' } = wholeOf(text);
      const came = outcome.ok ? '' : outcome.code || 'failed';
      // With the lengths of what clients and servers write: put behind each other, parts of two could be alike that are not.
      const sizes = `${what.length} ${came.length} ${bound.map((value) => value.length).join(' ')}`;
      fold.take(`${sizes}\n${length}\n${sha256}\n${what}${came}${bound.join('')}${query}`, {
        n,
        outcome,
        text,
        query,
        recorded: statement.recorded,
        tell: statement.tell,
      });
    },
    behind() {
      const onDisk = recorded.behind();
      if (unwritten.length <= MAX_UNWRITTEN) return onDisk;
      room ??= Promise.withResolvers();
      return onDisk ? Promise.all([onDisk, room.promise]).then(() => {}) : room.promise;
    },
    shown: (all) => (values === 'kept' ? [...all] : all.map(() => '***')),
    malformed(side, why, sample) {
      deps.log.warn({ session: session.id, side, why }, 'bytes that are no message of the protocol');
      write(dbMalformedPacket, { ...about, payload: sample.subarray(0, SAMPLE_BYTES).toString('base64') });
    },
    async close() {
      clearInterval(timer);
      fold.close();
      if (writing === 0) return;
      idle ??= Promise.withResolvers();
      await idle.promise;
    },
  };
}

/** What tells a text from every other that begins alike; an event shows no more of it. */
function wholeOf(text: StatementText | undefined): { length?: number; sha256?: string } {
  if (!text) return {};
  const isCut = text.length > text.text.length || text.text.length > TOLD_CHARACTERS;
  return isCut ? { length: text.length, ...shaOf(text) } : {};
}

function shaOf(whole: StatementText): { sha256?: string } {
  return whole.sha256 || whole.text.length > TOLD_CHARACTERS ? hashOf(whole) : {};
}

/** Of a text that is cut, however short it was: what is left would say nothing of the rest. */
function hashOf({ text, sha256, hasSecret }: StatementText): { sha256?: string } {
  if (sha256) return { sha256 };
  return hasSecret ? {} : { sha256: createHash('sha256').update(text).digest('hex') };
}

function charactersIn({ text, values }: HeldStatement): number {
  return values.reduce((sum, { length }) => sum + length, text.length);
}
