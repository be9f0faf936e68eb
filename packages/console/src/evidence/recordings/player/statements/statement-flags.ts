/** Statements worth a second look: a short list, told in docs/recordings.md. What has no flag is not said to be harmless. */
import { riskOf } from '@gatehouse/contract/kinds/db/risk-of';
import { splitStatements } from '@gatehouse/contract/kinds/db/split-statements';
import { type Quoting, tokens } from '@gatehouse/contract/kinds/db/sql-tokens';

export const FLAGS = [
  'drops',
  'empties',
  'no-where',
  'no-filter',
  'rights',
  'ends',
  'stops',
  'programs',
  'files',
  'settings',
  'secret',
] as const;
export type Flag = (typeof FLAGS)[number];

export interface FlaggedText {
  /** As the recording names it: of MongoDB and Redis, the command. */
  what: string;
  text: string;
  /** There was more of it than is here: then nothing is said about what is missing in it. */
  isCut: boolean;
}

/** Longer ones are data, mostly: looking through them would take its time. */
const MAX_LOOKED_AT = 20_000;
const MAX_STATEMENTS = 20;

/** Each at most once, in the order of `FLAGS`. */
export function flagsOf(protocol: string, given: FlaggedText): Flag[] {
  const isCut = given.isCut || given.text.length > MAX_LOOKED_AT;
  const looked = { what: given.what, text: given.text.slice(0, MAX_LOOKED_AT), isCut };
  const found = new Set(flagsIn(protocol, looked));
  return FLAGS.filter((flag) => found.has(flag));
}

function flagsIn(protocol: string, given: FlaggedText): Flag[] {
  if (protocol === 'redis') return redisFlags(given.text);
  if (protocol === 'mongodb') return mongoFlags(given);
  const quoting = { backslashes: protocol === 'mysql', isMysql: protocol === 'mysql' };
  return splitStatements(given.text, quoting)
    .slice(0, MAX_STATEMENTS)
    .flatMap(({ sql }) => sqlFlags(sql, quoting, given.isCut));
}

const BY_VERB = { DROP: 'drops', TRUNCATE: 'empties', UPDATE: 'no-where', DELETE: 'no-where' } as const;
const WHO = new Set(['USER', 'ROLE', 'GROUP', 'LOGIN']);
/** The gateway takes out what is quoted behind such a word: elsewhere three stars are what somebody wrote. */
const TAKEN_OUT = /(?:passw(?:or)?d|identified|secret)\b.*'\*\*\*'/is;
/** Functions and procedures, where they are called. */
const CALLS: Readonly<Record<string, Flag>> = {
  PG_TERMINATE_BACKEND: 'ends',
  XP_CMDSHELL: 'programs',
  PG_READ_FILE: 'files',
  PG_READ_BINARY_FILE: 'files',
  LO_IMPORT: 'files',
  LO_EXPORT: 'files',
  LOAD_FILE: 'files',
};

interface SqlWord {
  word: string;
  /** What stands behind it: `(` of a call, or a text between quotes. */
  before: 'bracket' | 'text' | 'other';
}

function sqlFlags(sql: string, quoting: Quoting, isCut: boolean): Flag[] {
  const words = wordsIn(sql, quoting);
  const [first = '', second = '', third = ''] = words.map(({ word }) => word);
  const has = (word: string) => words.some((each) => each.word === word);
  // Neither runs what follows it.
  if (first === 'PREPARE' || (first === 'EXPLAIN' && !has('ANALYZE') && !has('ANALYSE'))) return [];
  const flags: Flag[] = [];
  const risk = riskOf(sql, quoting);
  const flag = risk && BY_VERB[risk.verb];
  if (flag && !(flag === 'no-where' && isCut)) flags.push(flag);
  if (first === 'GRANT' || first === 'REVOKE' || `${first} ${second}` === 'SET PASSWORD') flags.push('rights');
  const isAboutWho = WHO.has(second) || (second === 'OR' && WHO.has(words[3]?.word ?? ''));
  if (['CREATE', 'ALTER', 'DROP', 'RENAME'].includes(first) && isAboutWho) flags.push('rights');
  if (`${first} ${second} ${third}` === 'ALTER DEFAULT PRIVILEGES') flags.push('rights');
  if (first === 'KILL' && second !== 'QUERY') flags.push('ends');
  if (first === 'SHUTDOWN') flags.push('stops');
  if (`${first} ${second}` === 'ALTER SYSTEM' || (first === 'SET' && ['GLOBAL', 'PERSIST'].includes(second)))
    flags.push('settings');
  if (first === 'COPY') flags.push(...copyFlags(words));
  if (has('OUTFILE') || has('DUMPFILE')) flags.push('files');
  for (const { word, before } of words) {
    const called = Object.hasOwn(CALLS, word) ? CALLS[word] : undefined;
    if (called && (before === 'bracket' || word === 'XP_CMDSHELL')) flags.push(called);
  }
  if (TAKEN_OUT.test(sql)) flags.push('secret');
  return flags;
}

/** To and from the client is what COPY mostly does. */
function copyFlags(words: readonly SqlWord[]): Flag[] {
  return words.flatMap(({ word, before }) => {
    if (word === 'PROGRAM' && before === 'text') return ['programs'] as const;
    return (word === 'TO' || word === 'FROM') && before === 'text' ? (['files'] as const) : [];
  });
}

/** Those that stand between no quotes, each with what follows it. */
function wordsIn(sql: string, quoting: Quoting): SqlWord[] {
  const words: SqlWord[] = [];
  let isOpen = false;
  for (const { what, from, to } of tokens(sql, quoting)) {
    const text = sql.slice(from, to);
    if (what === 'other' && text.trim() === '') continue;
    const last = words.at(-1);
    if (last && isOpen) last.before = what === 'text' ? 'text' : text === '(' ? 'bracket' : 'other';
    isOpen = what === 'word' && !(from > 0 && /["`[]/.test(sql[from - 1] as string));
    if (isOpen) words.push({ word: text.toUpperCase(), before: 'other' });
  }
  return words;
}

const REDIS: Readonly<Record<string, Flag>> = {
  FLUSHALL: 'empties',
  FLUSHDB: 'empties',
  SHUTDOWN: 'stops',
  'CLIENT KILL': 'ends',
  'ACL SETUSER': 'rights',
  'ACL DELUSER': 'rights',
  'ACL LOAD': 'rights',
  'CONFIG SET': 'settings',
  'MODULE LOAD': 'programs',
  REPLICAOF: 'settings',
  SLAVEOF: 'settings',
};

function redisFlags(text: string): Flag[] {
  const [, name = '', next = ''] = /^"?([\w-]+)"?(?:\s+"?([\w-]+))?/.exec(text.trimStart()) ?? [];
  const one = name.toUpperCase();
  const two = `${one} ${next.toUpperCase()}`;
  const flag = REDIS[Object.hasOwn(REDIS, two) ? two : Object.hasOwn(REDIS, one) ? one : ''];
  return flag ? [flag] : [];
}

const MONGO: Readonly<Record<string, Flag>> = {
  drop: 'drops',
  dropDatabase: 'drops',
  dropIndexes: 'drops',
  createUser: 'rights',
  updateUser: 'rights',
  dropUser: 'rights',
  dropAllUsersFromDatabase: 'rights',
  grantRolesToUser: 'rights',
  revokeRolesFromUser: 'rights',
  createRole: 'rights',
  updateRole: 'rights',
  dropRole: 'rights',
  grantPrivilegesToRole: 'rights',
  revokePrivilegesFromRole: 'rights',
  grantRolesToRole: 'rights',
  revokeRolesFromRole: 'rights',
  shutdown: 'stops',
  setParameter: 'settings',
};

function mongoFlags({ what, text, isCut }: FlaggedText): Flag[] {
  const flag = Object.hasOwn(MONGO, what) ? MONGO[what] : undefined;
  if (flag) return [flag];
  if (isCut || (what !== 'delete' && what !== 'update')) return [];
  const parts = partsOf(text, what === 'delete' ? 'deletes' : 'updates');
  // One document is what somebody may have meant, whichever it is.
  return parts.some(({ q, limit, multi }) => isEmpty(q) && (what === 'delete' ? limit === 0 : multi === true))
    ? ['no-filter']
    : [];
}

function partsOf(text: string, name: string): Record<string, unknown>[] {
  try {
    const command: unknown = JSON.parse(text);
    const parts = isObject(command) ? command[name] : undefined;
    return Array.isArray(parts) ? parts.filter(isObject) : [];
  } catch {
    return [];
  }
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

function isEmpty(given: unknown): boolean {
  return isObject(given) && Object.keys(given).length === 0;
}
