/** Tells the statements of a PostgreSQL session in the events of its protocol. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import {
  postgresBind,
  postgresClose,
  postgresExecute,
  postgresFunction,
  postgresParse,
} from '@gatehouse/contract/kinds/db/postgres-events';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { SessionTeller } from './engine/postgres/pass-on.ts';
import type { ClientRequest } from './engine/postgres/read-request.ts';
import type { Outcome } from './engine/statement.ts';
import { isBeginning, type RecordedText } from './recorded-statements.ts';
import type { About, StatementTelling, Tell } from './tell-statements.ts';

/** Portals whose values are known when they are run; drivers use one after the other. */
const MAX_BOUND = 64;

export function tellPostgres(telling: StatementTelling): SessionTeller {
  const { recorded } = telling;
  const bound = new BoundedMap<string, readonly string[]>(MAX_BOUND);
  const failedAlone = ({ what }: ClientRequest, outcome: Outcome, text: string) =>
    outcome.ok ? undefined : recorded.failed({ what, text: { text, length: text.length } }, outcome);
  return {
    asked(request, query) {
      if (request.what === 'bind' && recorded.isOn) bound.set(request.portal, telling.shown(request.values));
      else if (isRecorded(request)) recorded.asked(recordedOf(request, query, { telling, bound }));
      if (hasText(request)) telling.hold(request.query);
      if (isToldAtOnce(request)) telling.atOnce((tell, about) => tellRequest(tell, request, about, telling));
    },
    answered(request, outcome, query, sample) {
      const number = isRecorded(request) ? recorded.next(outcome, sample) : failedAlone(request, outcome, query);
      const text = hasText(request) ? telling.release() : undefined;
      if (outcome.ok && isToldAtOnce(request)) return;
      telling.answered({
        what: toldApart(request, query),
        outcome,
        query,
        text,
        recorded: number,
        tell: (tell, about, known) => tellDone(tell, request, about, known),
      });
    },
    malformed: telling.malformed,
    behind: telling.behind,
  };
}

function hasText(request: ClientRequest): request is Extract<ClientRequest, { what: 'query' | 'parse' }> {
  return request.what === 'query' || request.what === 'parse';
}

/** What is run, and what is prepared for it; the rest only where it failed. */
function isRecorded({ what }: ClientRequest): boolean {
  return what === 'query' || what === 'parse' || what === 'execute' || what === 'function';
}

interface Recording {
  telling: StatementTelling;
  /** Values by portal. */
  bound: ReadonlyMap<string, readonly string[]>;
}

function recordedOf(request: ClientRequest, query: string, { telling, bound }: Recording): RecordedText {
  if (request.what === 'query') return { what: 'query', text: request.query };
  if (request.what === 'parse') return { what: 'prepare', text: request.query };
  if (request.what === 'function') {
    const text = `function ${request.oid}`;
    return { what: 'function', text: { text, length: text.length }, values: telling.shown(request.values) };
  }
  const values = request.what === 'execute' ? (bound.get(request.portal) ?? []) : [];
  return { what: request.what, text: { text: query, length: query.length }, values, isBeginning: isBeginning(query) };
}

/** Of two prepared texts that begin alike, the portal says which one ran. */
function toldApart(request: ClientRequest, query: string): string {
  const isKnown = request.what !== 'execute' || (query !== '' && !isBeginning(query));
  return isKnown ? request.what : `${request.what} ${request.portal}`;
}

/** Values are many, and nothing comes of these that is worth waiting for. */
function isToldAtOnce({ what }: ClientRequest): boolean {
  return what === 'bind' || what === 'close' || what === 'function';
}

function tellRequest(tell: Tell, request: ClientRequest, about: About, { shown }: StatementTelling): void {
  if (request.what === 'bind') {
    const { statement: statement_name, portal: portal_name } = request;
    tell(postgresBind, { ...about, statement_name, portal_name, parameters: shown(request.values) });
  } else if (request.what === 'close')
    tell(postgresClose, { ...about, statement_name: request.statement, portal_name: request.portal });
  else if (request.what === 'function')
    tell(postgresFunction, { ...about, function_oid: request.oid, function_args: shown(request.values) });
}

function tellDone(tell: Tell, request: ClientRequest, about: About, query: string): void {
  if (request.what === 'parse') tell(postgresParse, { ...about, statement_name: request.statement, query });
  else if (request.what === 'execute') tell(postgresExecute, { ...about, portal_name: request.portal });
  else tell(dbQuery, { ...about, db_query: query, success: true });
}
