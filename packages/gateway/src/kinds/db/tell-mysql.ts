/** Tells the commands of a MySQL session in the events of its protocol. */
import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import {
  mysqlBulkExecute,
  mysqlCloseStatement,
  mysqlCreateDatabase,
  mysqlDebug,
  mysqlDropDatabase,
  mysqlExecute,
  mysqlFetch,
  mysqlInitDatabase,
  mysqlPrepare,
  mysqlProcessKill,
  mysqlRefresh,
  mysqlResetStatement,
  mysqlSendLongData,
  mysqlShutDown,
} from '@gatehouse/contract/kinds/db/mysql-events';
import type { SessionTeller } from './engine/mysql/pass-on.ts';
import type { ClientCommand } from './engine/mysql/read-command.ts';
import { isBeginning, type RecordedText } from './recorded-statements.ts';
import type { About, StatementTelling, Tell } from './tell-statements.ts';

const NO_TEXT = { text: '', length: 0 };

export function tellMysql(telling: StatementTelling): SessionTeller {
  const { recorded } = telling;
  return {
    asked(command, query) {
      if (isRecorded(command)) recorded.asked(recordedOf(command, query, telling));
      if (hasText(command)) telling.hold(command.query);
      else if (hasValues(command)) telling.hold(NO_TEXT, telling.shown(command.values));
    },
    answered(command, outcome, query, sample) {
      const number = isRecorded(command) ? recorded.next(outcome, sample) : undefined;
      const held = hasText(command) || hasValues(command) ? telling.release() : undefined;
      telling.answered({
        ...{ what: toldApart(command, query), outcome, query: query || wordsFor(command) },
        text: hasText(command) ? held : undefined,
        values: held?.values,
        recorded: number,
        tell: (tell, about, known) => tellDone(tell, command, about, { query: known, values: held?.values ?? [] }),
      });
    },
    malformed: telling.malformed,
    behind: telling.behind,
  };
}

type Of<What extends ClientCommand['what']> = Extract<ClientCommand, { what: What }>;

function hasText(command: ClientCommand): command is Of<'query' | 'prepare'> {
  return command.what === 'query' || command.what === 'prepare';
}

function hasValues(command: ClientCommand): command is Of<'execute' | 'bulkExecute'> {
  return command.what === 'execute' || command.what === 'bulkExecute';
}

/** Not what only belongs to another: values that are sent ahead, and the end of what was prepared. */
function isRecorded({ what }: ClientCommand): boolean {
  return what !== 'sendLongData' && what !== 'closeStatement' && what !== 'resetStatement';
}

function recordedOf(command: ClientCommand, query: string, { shown }: StatementTelling): RecordedText {
  if (hasText(command)) return { what: command.what, text: command.query };
  const text = query || wordsFor(command);
  return {
    what: command.what,
    text: { text, length: text.length },
    ...(hasValues(command) ? { values: shown(command.values) } : {}),
    isBeginning: isBeginning(query),
  };
}

/** Of two prepared texts that begin alike, the number says which one ran; texts that are known whole tell by themselves. */
function toldApart(command: ClientCommand, query: string): string {
  if ('statement' in command && (query === '' || isBeginning(query))) return `${command.what} ${command.statement}`;
  return command.what === 'refresh' ? `${command.what} ${command.subcommand}` : command.what;
}

/** For what failed and has no text of its own. */
function wordsFor(command: ClientCommand): string {
  if (command.what === 'useDatabase') return `USE ${command.database}`;
  if (command.what === 'createDatabase') return `CREATE DATABASE ${command.database}`;
  if (command.what === 'dropDatabase') return `DROP DATABASE ${command.database}`;
  if (command.what === 'processKill') return `KILL ${command.process}`;
  if (command.what === 'fieldList') return `SHOW COLUMNS FROM ${command.table}`;
  if (command.what === 'resetConnection') return 'RESET CONNECTION';
  if (command.what === 'refused') return `the command ${command.command}`;
  return `the command ${command.what}`;
}

interface Said {
  query: string;
  values: readonly string[];
}

function tellDone(tell: Tell, command: ClientCommand, about: About, { query, values }: Said): void {
  if ('statement' in command) tellPrepared(tell, command, { ...about, statement_id: command.statement }, [...values]);
  else if ('database' in command) tellDatabase(tell, command, { ...about, schema_name: command.database });
  else if (command.what === 'prepare') tell(mysqlPrepare, { ...about, query });
  else if (command.what === 'shutDown') tell(mysqlShutDown, about);
  else if (command.what === 'processKill') tell(mysqlProcessKill, { ...about, process_id: command.process });
  else if (command.what === 'debug') tell(mysqlDebug, about);
  else if (command.what === 'refresh') tell(mysqlRefresh, { ...about, subcommand: command.subcommand });
  else tell(dbQuery, { ...about, db_query: query, success: true });
}

function tellDatabase(
  tell: Tell,
  { what }: Extract<ClientCommand, { database: string }>,
  about: About & { schema_name: string },
): void {
  if (what === 'useDatabase') tell(mysqlInitDatabase, about);
  else if (what === 'createDatabase') tell(mysqlCreateDatabase, about);
  else tell(mysqlDropDatabase, about);
}

function tellPrepared(
  tell: Tell,
  command: ClientCommand,
  about: About & { statement_id: number },
  parameters: string[],
): void {
  if (command.what === 'execute') tell(mysqlExecute, { ...about, parameters });
  else if (command.what === 'bulkExecute') tell(mysqlBulkExecute, { ...about, parameters });
  else if (command.what === 'sendLongData')
    tell(mysqlSendLongData, { ...about, parameter_id: command.parameter, data_size: command.size });
  else if (command.what === 'closeStatement') tell(mysqlCloseStatement, about);
  else if (command.what === 'resetStatement') tell(mysqlResetStatement, about);
  else if (command.what === 'fetch') tell(mysqlFetch, { ...about, rows_count: command.rows });
}
