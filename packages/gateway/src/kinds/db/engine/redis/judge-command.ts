/** Which commands do not pass, and why. Everything else is decided by the server: what its user may. */

import { KINDS_AND_ENDS } from './own-script.ts';
import { changesNothing } from './read-only.ts';

const ALL = Number.POSITIVE_INFINITY;

/** The first words of a command that decide about it; of all others the name does. */
const NEEDED_WORDS: ReadonlyMap<string, number> = new Map([
  ['HELLO', ALL],
  ['CLIENT', 3],
  ['EVAL_RO', 2],
  ['MEMORY', 2],
  ['DEBUG', 3],
  ['SCRIPT', 2],
  ['SELECT', 2],
  ['SWAPDB', 3],
  ['MOVE', 3],
  ['COPY', ALL],
  ['MIGRATE', 5],
]);

const SIGNED_IN = 'the gateway has signed in already: leave user and password out';
const COPIES_ALL = 'it shows everything that passes the server';
/** They sign in otherwise, or show what others do. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['AUTH', SIGNED_IN],
  ['RESET', 'it would undo how the gateway signed in'],
  ['MONITOR', COPIES_ALL],
  ['SYNC', COPIES_ALL],
  ['PSYNC', COPIES_ALL],
  ['REPLCONF', COPIES_ALL],
]);

/** They reach what no word of them names: a script may choose any database by itself, and what was slow is told with its values, of any. */
const REACHES_ALL: ReadonlySet<string> = new Set([
  'EVAL',
  'EVALSHA',
  'EVAL_RO',
  'EVALSHA_RO',
  'FCALL',
  'FCALL_RO',
  'FLUSHALL',
  'SLOWLOG',
]);

/** Answered otherwise than in their turn: the end of a transaction could not be told from them. */
const NOT_IN_TRANSACTIONS: ReadonlySet<string> = new Set([
  'HELLO',
  'SUBSCRIBE',
  'PSUBSCRIBE',
  'SSUBSCRIBE',
  'UNSUBSCRIBE',
  'PUNSUBSCRIBE',
  'SUNSUBSCRIBE',
]);

const JUDGED: ReadonlySet<string> = new Set([
  ...NEEDED_WORDS.keys(),
  ...REFUSED.keys(),
  ...NOT_IN_TRANSACTIONS,
  ...REACHES_ALL,
]);

export interface Judging {
  /** Nothing may be changed. */
  isReadOnly?: boolean;
  isInTransaction: boolean;
  /** `database`: its number. */
  mayUse(database: string): boolean;
  /** Whether there is no database that may not be used. */
  mayUseAll(): boolean;
}

export function wordsToJudge(name: string): number {
  return NEEDED_WORDS.get(name) ?? 1;
}

/** Gives the error where it does not pass. */
export function judgeCommand(
  words: readonly string[],
  { isReadOnly, isInTransaction, mayUse, mayUseAll }: Judging,
): string | undefined {
  const name = (words[0] ?? '').toUpperCase();
  // The reason for one that never passes is told first.
  if (isReadOnly && !REFUSED.has(name) && !changesNothing(name, words[1]))
    return `NOPERM ${name} does not pass here: this connection only reads`;
  if (!JUDGED.has(name)) return undefined;
  const rest = words.slice(1).map((each) => each.toUpperCase());
  const why = REFUSED.get(name) ?? (name === 'HELLO' && hasSignIn(rest) ? SIGNED_IN : undefined);
  if (why !== undefined) return `NOPERM ${name} does not pass here: ${why}`;
  if (isInTransaction && NOT_IN_TRANSACTIONS.has(name)) return `ERR ${name} does not pass here inside MULTI`;
  if (leavesOrder(name, rest))
    return `NOPERM ${name} ${rest[0]} does not pass here: each command is told with its answer`;
  if (REACHES_ALL.has(name) && !mayUseAll() && words[1] !== KINDS_AND_ENDS)
    return `NOPERM ${name} does not pass here: it reaches every database, and this user may not use all of them`;
  for (const database of databasesOf(name, rest)) {
    // In the one shape a number has: another server might read more into it than this one.
    if (!/^(?:0|[1-9]\d{0,9})$/.test(database)) return 'ERR invalid DB index';
    if (!mayUse(database)) return `NOPERM this user may not use the database ${database} here`;
  }
  return undefined;
}

/** From there on, it is not one answer for each command. `SCRIPT DEBUG` begins a conversation of another kind. */
function leavesOrder(name: string, [first, second]: readonly string[]): boolean {
  if (name === 'CLIENT') return first === 'REPLY' && second !== 'ON';
  if (name === 'DEBUG') return first === 'PROTOCOL' && second === 'PUSH';
  return name === 'SCRIPT' && first === 'DEBUG';
}

/** Read as the server reads it, option by option: in `HELLO 3 SETNAME auth` it is a name, in `HELLO 3 SETNAME SETNAME AUTH …` it is not. */
function hasSignIn(rest: readonly string[]): boolean {
  for (let at = 1; at < rest.length; at++) {
    if (rest[at] === 'AUTH') return true;
    if (rest[at] === 'SETNAME') at += 1;
  }
  return false;
}

function databasesOf(name: string, rest: readonly string[]): readonly string[] {
  if (name === 'SELECT') return rest.slice(0, 1);
  if (name === 'SWAPDB') return rest.slice(0, 2);
  if (name === 'MOVE') return rest.slice(1, 2);
  // On whichever server it names, which may be this one.
  if (name === 'MIGRATE') return rest.slice(3, 4);
  if (name === 'COPY') return rest.filter((_, index) => index > 2 && rest[index - 1] === 'DB');
  return [];
}
