/** Tells the statements of a PostgreSQL session in the events of its protocol. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import {
  postgresBind,
  postgresClose,
  postgresExecute,
  postgresFunction,
  postgresParse,
} from '@gatehouse/contract/kinds/db/postgres-events';
import type { SessionTeller } from './engine/postgres/pass-on.ts';
import type { ClientRequest } from './engine/postgres/read-request.ts';
import type { About, StatementTelling, Tell } from './tell-statements.ts';

export function tellPostgres(telling: StatementTelling): SessionTeller {
  return {
    asked(request) {
      if (hasText(request)) telling.hold(request.query);
      if (isToldAtOnce(request)) telling.atOnce((tell, about) => tellRequest(tell, request, about, telling));
    },
    answered(request, outcome, query) {
      const text = hasText(request) ? telling.release() : undefined;
      if (outcome.ok && isToldAtOnce(request)) return;
      telling.answered({
        ...{ what: request.what, outcome, query, text },
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
