/** Events of MySQL and MariaDB: statements prepared, and commands beside queries. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, database, session, statementFacts } from '../../events/event-fields.ts';
import { cut, line } from '../../events/line.ts';

const about = { kind: 'db', name: 'db_service' } as const;
const dbSession = { ...byUser, ...session, ...database, ...statementFacts } as const;
const statement = { ...dbSession, statement_id: z.number() } as const;
const withParameters = { ...statement, parameters: z.array(z.string()) } as const;
const schema = { ...dbSession, schema_name: z.string() } as const;

export const mysqlPrepare = defineEvent({
  code: 'TMY00I',
  event: 'db.session.mysql.statements.prepare',
  label: 'MySQL Statement Prepare',
  about,
  fields: { ...dbSession, query: z.string() },
  tell: ({ user, query, db_service }) => line`${user} prepared ${cut(query)} in ${db_service}`,
});

export const mysqlExecute = defineEvent({
  code: 'TMY01I',
  event: 'db.session.mysql.statements.execute',
  label: 'MySQL Statement Execute',
  about,
  fields: withParameters,
  tell: ({ user, statement_id, db_service }) =>
    line`${user} ran the prepared statement ${statement_id} in ${db_service}`,
});

export const mysqlSendLongData = defineEvent({
  code: 'TMY02I',
  event: 'db.session.mysql.statements.send_long_data',
  label: 'MySQL Statement Send Long Data',
  about,
  fields: { ...statement, parameter_id: z.number(), data_size: z.number() },
  tell: ({ user, data_size, parameter_id, statement_id, db_service }) =>
    line`${user} sent ${data_size} bytes for value ${parameter_id} of the prepared statement ${statement_id} in ${db_service}`,
});

export const mysqlCloseStatement = defineEvent({
  code: 'TMY03I',
  event: 'db.session.mysql.statements.close',
  label: 'MySQL Statement Close',
  about,
  fields: statement,
  tell: ({ user, statement_id, db_service }) =>
    line`${user} closed the prepared statement ${statement_id} in ${db_service}`,
});

export const mysqlResetStatement = defineEvent({
  code: 'TMY04I',
  event: 'db.session.mysql.statements.reset',
  label: 'MySQL Statement Reset',
  about,
  fields: statement,
  tell: ({ user, statement_id, db_service }) =>
    line`${user} reset the prepared statement ${statement_id} in ${db_service}`,
});

export const mysqlFetch = defineEvent({
  code: 'TMY05I',
  event: 'db.session.mysql.statements.fetch',
  label: 'MySQL Statement Fetch',
  about,
  fields: { ...statement, rows_count: z.number() },
  tell: ({ user, rows_count, statement_id, db_service }) =>
    line`${user} fetched ${rows_count} rows of the prepared statement ${statement_id} in ${db_service}`,
});

export const mysqlBulkExecute = defineEvent({
  code: 'TMY06I',
  event: 'db.session.mysql.statements.bulk_execute',
  label: 'MySQL Statement Bulk Execute',
  about,
  fields: withParameters,
  tell: ({ user, statement_id, db_service }) =>
    line`${user} ran the prepared statement ${statement_id} in ${db_service} for many rows at once`,
});

export const mysqlInitDatabase = defineEvent({
  code: 'TMY07I',
  event: 'db.session.mysql.init_db',
  label: 'MySQL Change Database',
  about,
  fields: schema,
  tell: ({ user, schema_name, db_service }) => line`${user} changed to the schema ${schema_name} in ${db_service}`,
});

export const mysqlCreateDatabase = defineEvent({
  code: 'TMY08I',
  event: 'db.session.mysql.create_db',
  label: 'MySQL Create Database',
  about,
  fields: schema,
  tell: ({ user, schema_name, db_service }) => line`${user} created the schema ${schema_name} in ${db_service}`,
});

export const mysqlDropDatabase = defineEvent({
  code: 'TMY09I',
  event: 'db.session.mysql.drop_db',
  label: 'MySQL Drop Database',
  about,
  fields: schema,
  tell: ({ user, schema_name, db_service }) => line`${user} dropped the schema ${schema_name} in ${db_service}`,
});

export const mysqlShutDown = defineEvent({
  code: 'TMY10I',
  event: 'db.session.mysql.shut_down',
  label: 'MySQL Shut Down',
  about,
  fields: dbSession,
  tell: ({ user, db_service }) => line`${user} asked ${db_service} to shut down`,
});

export const mysqlProcessKill = defineEvent({
  code: 'TMY11I',
  event: 'db.session.mysql.process_kill',
  label: 'MySQL Kill Process',
  about,
  fields: { ...dbSession, process_id: z.number() },
  tell: ({ user, process_id, db_service }) => line`${user} ended the process ${process_id} in ${db_service}`,
});

export const mysqlDebug = defineEvent({
  code: 'TMY12I',
  event: 'db.session.mysql.debug',
  label: 'MySQL Debug',
  about,
  fields: dbSession,
  tell: ({ user, db_service }) => line`${user} asked ${db_service} to write what it knows of itself to its log`,
});

export const mysqlRefresh = defineEvent({
  code: 'TMY13I',
  event: 'db.session.mysql.refresh',
  label: 'MySQL Refresh',
  about,
  fields: { ...dbSession, subcommand: z.string() },
  tell: ({ user, db_service, subcommand }) => line`${user} asked ${db_service} to refresh: ${subcommand}`,
});
