/** Names, values, statements and errors of SQL Server as texts. */
import { firstWord } from '../../first-word.ts';
import { SqlError } from '../thread/sql-client.ts';

export const SQLSERVER_WORDS = { nested: true, hashes: false };

export function quotedName(name: string): string {
  return `[${name.replaceAll(']', ']]')}]`;
}

export function quotedValue(value: string | null): string {
  return value === null ? 'NULL' : `N'${value.replaceAll("'", "''")}'`;
}

/** Statements of our own alone: each `?` in them stands for a value. */
export function bound(sql: string, values: readonly (string | null)[]): string {
  let next = 0;
  return sql.replace(/\?/g, () => {
    const value = values[next];
    next += 1;
    if (value === undefined) throw new Error('there is no value for it');
    return quotedValue(value);
  });
}

const COUNTED = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE']);

export function tagOf(sql: string, rows: number): string {
  const word = firstWord(sql, SQLSERVER_WORDS) ?? '';
  return COUNTED.has(word) || rows > 0 ? `${word} ${rows}`.trim() : word;
}

export interface ServerError {
  number: number;
  text: string;
  /** From 1; 0: of no line. */
  line: number;
}

/** The server knows the line alone. */
export function errorOf({ number, text, line }: ServerError, sql: string): SqlError {
  return new SqlError(String(number), text, line > 1 ? { position: beginOfLine(sql, line) } : {});
}

function beginOfLine(text: string, line: number): number {
  let at = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf('\n', at);
    if (end < 0) return at;
    at = end + 1;
  }
  return at;
}
