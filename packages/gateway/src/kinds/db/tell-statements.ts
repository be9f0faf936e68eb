/** Writes the statements of one session into the audit log, in the events of its protocol. */

import type { EventType } from '@gatehouse/contract/events/define-event';
import { dbMalformedPacket, dbQuery, dbQueryFailed } from '@gatehouse/contract/kinds/db/db-events';
import {
  postgresBind,
  postgresClose,
  postgresExecute,
  postgresFunction,
  postgresParse,
} from '@gatehouse/contract/kinds/db/postgres-events';
import type { z } from 'zod';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { Log } from '../../platform/std/log.ts';
import { contextOf } from '../../sessions/host/about-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { SessionTeller } from './engine/postgres/pass-on.ts';
import type { ClientRequest } from './engine/postgres/read-request.ts';
import type { Outcome, StatementText } from './engine/statement.ts';
import { StatementFold } from './fold-statements.ts';
import { dbSessionFields } from './session-audit.ts';

const MAX_EVENT_CHARACTERS = 8_192;
const TICK_MS = 1_000;
const SAMPLE_BYTES = 256;
/** Of texts that wait for their answers; beyond it only their beginnings are kept. */
const MAX_HELD_CHARACTERS = 1024 * 1024;
const SHORT_CHARACTERS = 256;

export interface StatementTellerDeps {
  events: Pick<EventStream, 'write'>;
  session: Session;
  door: string;
  /** Of the server's process, as its own log has it. */
  backend: number | undefined;
  /** Whether values that were bound are told. */
  values: 'kept' | 'hidden';
  log: Log;
  now: () => number;
  /** Something was not written: nothing more may pass that is not told. */
  failed(error: unknown): void;
}

type About = ReturnType<typeof dbSessionFields> & { statement: { door: string; n: number } };

interface Told {
  request: ClientRequest;
  outcome: Outcome;
  query: string;
  text: StatementText | undefined;
  n: number;
}

export interface StatementTelling extends SessionTeller {
  close(): Promise<void>;
}

export function tellStatements(deps: StatementTellerDeps): StatementTelling {
  const { events, session, values, now } = deps;
  const about = dbSessionFields(session);
  const context = contextOf(session);
  const where = { door: deps.door, ...(deps.backend === undefined ? {} : { backend: deps.backend }) };
  const writing = new Set<Promise<void>>();
  const texts: StatementText[] = [];
  let held = 0;
  let n = 0;

  const hold = (text: StatementText) => {
    const room = held < MAX_HELD_CHARACTERS ? MAX_EVENT_CHARACTERS : SHORT_CHARACTERS;
    // A copy: a slice of a text would keep all of it.
    const kept = text.text.length > room ? Buffer.from(text.text.slice(0, room)).toString() : text.text;
    texts.push({ ...text, text: kept });
    held += kept.length;
  };
  const release = () => {
    const text = texts.shift();
    held -= text?.text.length ?? 0;
    return text;
  };

  const write: Tell = (type, fields) => {
    const written = events.write(type, fields, context).catch((error: unknown) => {
      deps.log.error({ error, session: session.id }, 'a statement could not be told');
      deps.failed(error);
    });
    writing.add(written);
    void written.then(() => writing.delete(written));
  };
  const tell = (told: Told, count: number) => {
    const { outcome, text } = told;
    const { ms, rows, bytes } = outcome;
    const statement = {
      ...where,
      n: told.n,
      ms: Math.round(ms * 10) / 10,
      rows,
      bytes,
      ...(count > 1 ? { count } : {}),
      ...(text && text.length > text.text.length ? { length: text.length } : {}),
      ...(text?.sha256 ? { sha256: text.sha256 } : {}),
    };
    tellOutcome(write, told, { ...about, statement });
  };
  const fold = new StatementFold<Told>(tell, now);
  const timer = setInterval(() => fold.tick(), TICK_MS).unref();

  return {
    asked(request) {
      if (request.what === 'query' || request.what === 'parse') hold(request.query);
      if (!isToldAtOnce(request)) return;
      n += 1;
      tellRequest(write, request, { ...about, statement: { ...where, n } }, values);
    },
    answered(request, outcome, query) {
      const text = request.what === 'query' || request.what === 'parse' ? release() : undefined;
      if (outcome.ok && isToldAtOnce(request)) return;
      n += 1;
      const told = { request, outcome, query: text?.text ?? query, text, n };
      fold.take(`${request.what}\n${outcome.ok ? '' : outcome.code || 'failed'}\n${told.query}`, told);
    },
    malformed(side, why, sample) {
      deps.log.warn({ session: session.id, side, why }, 'bytes that are no message of the protocol');
      write(dbMalformedPacket, { ...about, payload: sample.subarray(0, SAMPLE_BYTES).toString('base64') });
    },
    async close() {
      clearInterval(timer);
      fold.close();
      await Promise.all(writing);
    },
  };
}

type Tell = <Fields extends z.ZodRawShape>(type: EventType<Fields>, fields: z.input<z.ZodObject<Fields>>) => void;

/** What is told as soon as it is asked: values are many, and nothing comes of these that is worth waiting for. */
function isToldAtOnce({ what }: ClientRequest): boolean {
  return what === 'bind' || what === 'close' || what === 'function';
}

function tellRequest(tell: Tell, request: ClientRequest, about: About, values: 'kept' | 'hidden'): void {
  const shown = (all: readonly string[]) => (values === 'kept' ? [...all] : all.map(() => '***'));
  if (request.what === 'bind') {
    const { statement: statement_name, portal: portal_name } = request;
    tell(postgresBind, { ...about, statement_name, portal_name, parameters: shown(request.values) });
  } else if (request.what === 'close')
    tell(postgresClose, { ...about, statement_name: request.statement, portal_name: request.portal });
  else if (request.what === 'function')
    tell(postgresFunction, { ...about, function_oid: request.oid, function_args: shown(request.values) });
}

/** Whatever fails is told with the statement's text, in whichever part of the protocol. */
function tellOutcome(tell: Tell, { request, outcome, query }: Told, about: About): void {
  const text = query.slice(0, MAX_EVENT_CHARACTERS);
  if (!outcome.ok) {
    const error = outcome.code ? `${outcome.error} (${outcome.code})` : outcome.error;
    tell(dbQueryFailed, { ...about, db_query: text, success: false, error });
  } else if (request.what === 'parse')
    tell(postgresParse, { ...about, statement_name: request.statement, query: text });
  else if (request.what === 'execute') tell(postgresExecute, { ...about, portal_name: request.portal });
  else tell(dbQuery, { ...about, db_query: text, success: true });
}
