/** What of a text can be asked for: whoever approves it must read what will run, and several statements are one, or none of them. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { MAX_ASKED_SQL } from '@gatehouse/contract/kinds/db/db-approvals';
import { splitStatements } from '@gatehouse/contract/kinds/db/split-statements';
import { commentsIn } from '@gatehouse/contract/kinds/db/sql-comments';
import { tokens } from '@gatehouse/contract/kinds/db/sql-tokens';
import { isPlainText } from '@gatehouse/contract/std/line-text';
import { AppError } from '../../../platform/std/app-error.ts';
import { maskSecrets } from '../engine/mask-secrets.ts';
import { firstWord } from '../first-word.ts';
import { quotingOf } from '../quoting-of.ts';

const MYSQL = { nested: false, hashes: true };
const OTHERS = { nested: true, hashes: false };

/** Each would end the transaction around the others, or stand outside of it. */
const ALONE: ReadonlySet<string> = new Set([
  ...['BEGIN', 'START', 'COMMIT', 'END', 'ROLLBACK', 'ABORT', 'SAVEPOINT', 'RELEASE', 'PREPARE', 'VACUUM', 'CLUSTER'],
  ...['CALL', 'DISCARD'],
]);
/** With MySQL whatever else there is commits by itself, or might. */
const TOGETHER_IN_MYSQL: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'SELECT', 'WITH']);

/** Looked for everywhere, as where a text between quotes ends depends on the session. */
const RUN_COMMENT = /\/\*M?!/;

const PLAIN = /^[\w$]*$/;
const LATIN = /\p{Script=Latin}/u;
/** Scripts that nobody mixes with Latin letters in one word but to deceive; others are, such as in `ユーザーID`. */
const LIKE_LATIN =
  /[\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Lisu}]/u;

/** Throws why it cannot be asked for; gives how many statements it is. */
export function countAsked(protocol: DbProtocol, text: string): number {
  if (Buffer.byteLength(text) > MAX_ASKED_SQL)
    throw new AppError('bad_request', `what is asked for may have ${MAX_ASKED_SQL / 1024} KiB at most`);
  if (!isPlainText(text))
    throw new AppError(
      'bad_request',
      'it holds characters that are not seen or turn text round: whoever approves it could not read what it does',
    );
  const isMysql = protocol === 'mysql';
  if (isMysql && RUN_COMMENT.test(text))
    throw new AppError(
      'bad_request',
      "it holds a comment that some servers run and others do not ('/*!'): whoever approves it could not tell which",
    );
  if ([...commentsIn(text, quotingOf(protocol))].some(({ isNested }) => isNested))
    throw new AppError(
      'bad_request',
      'a comment begins inside of another: whoever approves it could not tell where it ends at the server',
    );
  const alike = lookalikeIn(protocol, text);
  if (alike !== undefined)
    throw new AppError(
      'bad_request',
      `'${alike}' has letters that look like others: whoever approves it would take it for another word`,
    );
  const statements = splitStatements(text, quotingOf(protocol));
  if (statements.length === 0) throw new AppError('bad_request', 'there is no statement in it');
  if (statements.length === 1) return 1;
  for (const { sql } of statements) {
    const word = firstWord(sql, isMysql ? MYSQL : OTHERS);
    const isTogether = word !== undefined && (isMysql ? TOGETHER_IN_MYSQL.has(word) : !ALONE.has(word));
    if (!isTogether)
      throw new AppError(
        'bad_request',
        `several statements run in one transaction, and '${word ?? sql.slice(0, 20)}' could not be taken back with the others: ask for it by itself`,
      );
  }
  return statements.length;
}

/** A word outside of quotes that reads as another one: with a Cyrillic letter, `LEFT` is a name for the table before it, and what follows an inner join. */
function lookalikeIn(protocol: DbProtocol, text: string): string | undefined {
  for (const { what, from, to } of tokens(text, quotingOf(protocol))) {
    const word = text.slice(from, to);
    if (what !== 'word' || PLAIN.test(word)) continue;
    const [before = '', after] = [text[from - 1], text[to]];
    if (/["`]/.test(before) && before === after) continue;
    if (PLAIN.test(word.normalize('NFKC')) || (LATIN.test(word) && LIKE_LATIN.test(word))) return word.slice(0, 50);
  }
  return undefined;
}

export function withoutSecrets(protocol: DbProtocol, text: string) {
  return maskSecrets(text, quotingOf(protocol));
}
