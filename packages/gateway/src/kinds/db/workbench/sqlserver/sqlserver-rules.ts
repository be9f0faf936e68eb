/** What a statement of SQL Server may do where only reading is allowed, and where it is only tried. No statement there needs an end before the next begins: words are looked for everywhere. */
import { tsqlTokens } from '@gatehouse/contract/kinds/db/tsql-tokens';

/** Each begins a statement, or does something by itself, wherever it stands outside of quotes; none of them is a name without quotes in what reads. */
const NOT_READING = new Set(
  (
    'insert update delete merge truncate create alter drop grant revoke deny exec execute into bulk backup restore dbcc kill shutdown ' +
    'reconfigure checkpoint writetext updatetext readtext openrowset openquery opendatasource set declare begin commit rollback save use ' +
    'print raiserror return if else while break continue goto waitfor revert setuser add trigger receive ' +
    'conversation open close deallocate cursor load dump lineno'
  ).split(' '),
);
const MAY_READ =
  "only reading is allowed here: one SELECT, or WITH and SELECT, or USE; see what the server's user may do for the rest";

/** Why a statement does not run where only reading is allowed. What reads but moves a sequence on is refused as well. */
export function whyNotReading(sql: string): string | undefined {
  const words = wordsOf(sql);
  const first = words?.[0];
  if (!words || first === undefined) return MAY_READ;
  if (first === 'use') return words.length === 2 ? undefined : MAY_READ;
  if (first !== 'select' && first !== 'with') return MAY_READ;
  const wrong = words.find((word, index) => NOT_READING.has(word) || (word === 'next' && words[index + 1] === 'value'));
  return wrong === undefined ? undefined : `${MAY_READ} ('${wrong}' is in it)`;
}

const TAKEN_BACK = new Set('insert update delete merge with select create alter drop truncate'.split(' '));
/** No transaction holds them, or they end one, or what they run is not seen from here. */
const NOT_TAKEN_BACK = new Set(
  (
    'exec execute begin commit rollback save tran transaction use go waitfor kill shutdown reconfigure checkpoint backup restore bulk dbcc ' +
    'openrowset openquery opendatasource set declare if while return'
  ).split(' '),
);
/** What is made of tables is part of a transaction, and what is made of the server is not; bodies have statements in them. */
const MAKES = new Set(['create', 'alter', 'drop']);
const MADE = new Set(
  'table view index schema sequence type synonym statistics unique clustered nonclustered columnstore'.split(' '),
);

/** Why it could not be taken back. Making and changing tables is part of a transaction here. */
export function whyNotTried(sql: string): string | undefined {
  const why = 'this statement cannot be tried: it might not be taken back';
  const words = wordsOf(sql);
  const first = words?.[0];
  if (!words || first === undefined || !TAKEN_BACK.has(first)) return why;
  if (MAKES.has(first) && !MADE.has(words[1] ?? '')) return why;
  // `UPDATE t SET` has the one, and nothing else of it.
  const wrong = words.find(
    (word) =>
      NOT_TAKEN_BACK.has(word) && !(word === 'set' && (first === 'update' || first === 'merge' || first === 'with')),
  );
  return wrong === undefined ? undefined : `${why} ('${wrong}' is in it)`;
}

/** In lower case, names in quotes as they stand; undefined where there is more than one statement by its ends. */
function wordsOf(sql: string): string[] | undefined {
  const words: string[] = [];
  let isOver = false;
  for (const { what, from, to } of tsqlTokens(sql)) {
    if (what === 'end') isOver = true;
    else if (isOver) return undefined;
    else if (what === 'word') words.push(sql.slice(from, to).toLowerCase());
  }
  return words;
}
