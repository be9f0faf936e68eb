/** What differs from one kind of SQL to the next, in the console. */
import { MariaSQL, MSSQL, PostgreSQL, type SQLDialect } from '@codemirror/lang-sql';
import type { Quoting } from '@gatehouse/contract/kinds/db/sql-tokens';
import type { SqlProtocol } from '../sql-protocols.ts';

export interface Dialect {
  language: SQLDialect;
  quoting: Quoting;
  /** What is meant where a table is named without one. */
  schema: string | undefined;
  quoteName: (name: string) => string;
  quoteText: (text: string) => string;
  /** Of a column and a value, both as they are written: holds for NULL as well. */
  same: (column: string, value: string) => string;
}

/** As the server keeps them for itself: a table may be called so, between quotes. */
const PG_RESERVED = new Set(
  (
    'all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default deferrable desc ' +
    'distinct do else end except false fetch for foreign from grant group having in initially intersect into lateral leading limit not null ' +
    'offset on only or order placing primary references returning select some symmetric table then to trailing true union unique user using ' +
    'variadic when where window with'
  ).split(' '),
);

export const DIALECTS: Readonly<Record<SqlProtocol, Dialect>> = {
  postgres: {
    language: PostgreSQL,
    quoting: { backslashes: false, isMysql: false },
    schema: 'public',
    quoteName: (name) =>
      /^[a-z_][a-z0-9_]*$/.test(name) && !PG_RESERVED.has(name) ? name : `"${name.replaceAll('"', '""')}"`,
    quoteText: (text) => `'${text.replaceAll("'", "''")}'`,
    same: (column, value) => `${column} IS NOT DISTINCT FROM ${value}`,
  },
  mysql: {
    language: MariaSQL,
    quoting: { backslashes: true, isMysql: true },
    schema: undefined,
    quoteName: (name) => `\`${name.replaceAll('`', '``')}\``,
    // As the server takes it unless it was told otherwise: what is made of it is shown, and run by the gateway in its own words.
    quoteText: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
    same: (column, value) => `${column} <=> ${value}`,
  },
  sqlserver: {
    language: MSSQL,
    quoting: { backslashes: false, isMysql: false, isTsql: true },
    schema: 'dbo',
    quoteName: (name) => `[${name.replaceAll(']', ']]')}]`,
    quoteText: (text) => `N'${text.replaceAll("'", "''")}'`,
    // Servers before 2022 know no other.
    same: (column, value) => (value === 'NULL' ? `${column} IS NULL` : `${column} = ${value}`),
  },
};
