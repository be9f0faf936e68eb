/** Names, values and errors of MySQL as texts. */
import type { ServerError } from '../../engine/mysql/packets.ts';
import { firstWord } from '../../first-word.ts';
import { SqlError } from '../thread/sql-client.ts';

export const MYSQL_WORDS = { nested: false, hashes: true };

const SYNTAX_ERROR = '1064';
const NEAR = /near '(.*)' at line (\d+)$/s;
/** As what it is, whatever the session takes for an escape. */
const PLAIN = /^[^\\\p{Cc}]*$/u;

export function quotedName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** A value as a text between quotes; one with characters that some take for an escape, by its bytes. */
export function quotedValue(value: string | null): string {
  if (value === null) return 'NULL';
  if (PLAIN.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return `_utf8mb4 X'${Buffer.from(value).toString('hex')}'`;
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

/** What is no text is shown, and written, as `0x…`. */
export function shownBytes(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`;
}

export function quotedBytes(shown: string | null): string {
  if (shown === null) return 'NULL';
  const digits = /^0x((?:[0-9a-f]{2})*)$/i.exec(shown)?.[1];
  if (digits === undefined) throw new SqlError('bad_request', "bytes are written as '0x' and two digits for each");
  return `X'${digits}'`;
}

export function tagOf(sql: string, rows: number): string {
  const word = firstWord(sql, MYSQL_WORDS) ?? '';
  return COUNTED.has(word) || rows > 0 ? `${word} ${rows}`.trim() : word;
}

const COUNTED = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE']);

/** Where it is wrong, the server says by quoting what follows. */
export function errorOf({ code, message }: ServerError, sql: string): SqlError {
  const [, near, line] = code === SYNTAX_ERROR ? (NEAR.exec(message) ?? []) : [];
  if (near === undefined) return new SqlError(code, message);
  const position = near === '' ? sql.length : sql.indexOf(near, beginOfLine(sql, Number(line)));
  return new SqlError(code, message, position < 0 ? {} : { position });
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
