/** What of a text can be asked for: whoever approves it must read what will run, and several statements are one, or none of them. */
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { MAX_ASKED_SQL } from '@gatehouse/contract/kinds/db/db-approvals';
import { splitStatements } from '@gatehouse/contract/kinds/db/split-statements';
import { commentsIn } from '@gatehouse/contract/kinds/db/sql-comments';
import { isPlainText } from '@gatehouse/contract/std/line-text';
import { AppError } from '../../../platform/std/app-error.ts';
import { maskSecrets } from '../engine/mask-secrets.ts';
import { firstWord } from '../first-word.ts';

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

export function withoutSecrets(protocol: DbProtocol, text: string) {
  return maskSecrets(text, quotingOf(protocol));
}

function quotingOf(protocol: DbProtocol) {
  const isMysql = protocol === 'mysql';
  return { isMysql, backslashes: isMysql };
}
