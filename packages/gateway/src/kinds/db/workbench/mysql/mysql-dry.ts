/** Whether what a statement does in MySQL or MariaDB can be taken back: much of it commits by itself, and some tables know no transactions. */
import { tokens } from '@gatehouse/contract/kinds/db/sql-tokens';
import { firstWord } from '../../first-word.ts';
import { ask, type SqlClient } from '../thread/sql-client.ts';
import { MYSQL_WORDS, quotedValue } from './mysql-text.ts';

const TAKEN_BACK = new Set(['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'WITH', 'SELECT']);
const MAX_WORDS = 500;
const NOT_TAKEN_BACK = 'this statement cannot be tried: it could not be taken back';

/** A table of another engine that is named in it, or that might be written through a view, a trigger or a function that is. */
export async function whyNotDry(sql: string, side: SqlClient): Promise<string | undefined> {
  const word = firstWord(sql, MYSQL_WORDS);
  if (word === undefined || !TAKEN_BACK.has(word)) return NOT_TAKEN_BACK;
  const names = namesIn(sql);
  if (names === undefined) return NOT_TAKEN_BACK;
  const list = names.map(quotedValue).join(', ');
  const isNamed = (column: string) => `${column} IN (${list})`;
  const rows = await ask(
    side,
    `SELECT t.TABLE_NAME, t.ENGINE, ${isNamed('t.TABLE_NAME')} FROM information_schema.TABLES t JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
      WHERE COALESCE(e.TRANSACTIONS, 'NO') <> 'YES' AND t.TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')
      ORDER BY 3 DESC LIMIT 1`,
  );
  const [first] = rows;
  if (!first) return undefined;
  const [table, engine, named] = first;
  const because = `${NOT_TAKEN_BACK}, as '${table}' is kept by ${engine}`;
  if (named === '1') return because;
  const [through] = await ask(
    side,
    `SELECT TABLE_NAME FROM information_schema.VIEWS WHERE ${isNamed('TABLE_NAME')}
      UNION SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE ${isNamed('EVENT_OBJECT_TABLE')}
      UNION SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ${isNamed('ROUTINE_NAME')} LIMIT 1`,
  );
  return through ? `${because}, and might be written through '${through[0]}'` : undefined;
}

/** All words of it, quoted or not; undefined where there are too many to look at. */
function namesIn(sql: string): string[] | undefined {
  const names = new Set<string>();
  for (const { what, from, to } of tokens(sql, { isMysql: true, backslashes: true })) {
    // With ANSI_QUOTES a name stands where a text would.
    if (what === 'word') names.add(sql.slice(from, to));
    else if (what === 'text') names.add(sql.slice(from + 1, to - 1).slice(0, 64));
    if (names.size > MAX_WORDS) return undefined;
  }
  return [...names];
}
