/** Events of PostgreSQL's extended protocol: statements prepared, bound, run and closed. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, database, session, statementFacts } from '../../events/event-fields.ts';
import { cut, line, named } from '../../events/line.ts';

const about = { kind: 'db', name: 'db_service' } as const;
const dbSession = { ...byUser, ...session, ...database, ...statementFacts } as const;

export const postgresParse = defineEvent({
  code: 'TPG00I',
  event: 'db.session.postgres.statements.parse',
  label: 'PostgreSQL Statement Parse',
  about,
  fields: { ...dbSession, statement_name: z.string(), query: z.string() },
  tell: ({ user, query, db_service, statement_name }) =>
    line`${user} prepared ${cut(query)} in ${db_service}${named(statement_name)}`,
});

export const postgresBind = defineEvent({
  code: 'TPG01I',
  event: 'db.session.postgres.statements.bind',
  label: 'PostgreSQL Statement Bind',
  about,
  fields: { ...dbSession, statement_name: z.string(), portal_name: z.string(), parameters: z.array(z.string()) },
  tell: ({ user, db_service, statement_name }) =>
    line`${user} bound values to a statement in ${db_service}${named(statement_name)}`,
});

export const postgresExecute = defineEvent({
  code: 'TPG02I',
  event: 'db.session.postgres.statements.execute',
  label: 'PostgreSQL Statement Execute',
  about,
  fields: { ...dbSession, portal_name: z.string() },
  tell: ({ user, db_service, portal_name }) =>
    line`${user} ran a bound statement in ${db_service}${named(portal_name)}`,
});

export const postgresClose = defineEvent({
  code: 'TPG03I',
  event: 'db.session.postgres.statements.close',
  label: 'PostgreSQL Statement Close',
  about,
  fields: { ...dbSession, statement_name: z.string(), portal_name: z.string() },
  tell: ({ user, portal_name, db_service, statement_name }) =>
    line`${user} closed a ${portal_name ? 'bound' : 'prepared'} statement in ${db_service}${named(portal_name || statement_name)}`,
});

export const postgresFunction = defineEvent({
  code: 'TPG04I',
  event: 'db.session.postgres.function',
  label: 'PostgreSQL Function Call',
  about,
  fields: { ...dbSession, function_oid: z.number(), function_args: z.array(z.string()).optional() },
  tell: ({ user, function_oid, db_service }) =>
    line`${user} called the function with the number ${function_oid} in ${db_service}`,
});
