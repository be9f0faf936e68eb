/** Which commands a client may send: in which database, and none that signs in as somebody else. */
import type { Refusal } from './messages.ts';

/** What clients ask on any connection, of no database in particular. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'hello',
  'ismaster',
  'ping',
  'buildinfo',
  'endsessions',
  'connectionstatus',
  'whatsmyuri',
]);
const HELLO: ReadonlySet<string> = new Set(['hello', 'ismaster']);
/** Not told: every client says them, all the time. */
const UNTOLD: ReadonlySet<string> = new Set(['hello', 'ismaster', 'ping', 'endsessions']);
/** What a client may not say about itself: compressed bytes could not be read, and the gateway has signed in already. */
export const TAKEN_OUT_OF_HELLO: ReadonlySet<string> = new Set([
  'compression',
  'saslSupportedMechs',
  'speculativeAuthenticate',
]);

/** What a session that only reads may do; whatever else a server has or will have may write. */
const READING: ReadonlySet<string> = new Set([
  'find',
  'aggregate',
  'count',
  'distinct',
  'getmore',
  'killcursors',
  'listcollections',
  'listindexes',
  'listdatabases',
  'dbstats',
  'collstats',
  'datasize',
  'explain',
  'currentop',
  'serverstatus',
  'hostinfo',
  'getlog',
  'getparameter',
  'getcmdlineopts',
]);
/** Stages by which an aggregation writes, as fields of its bytes. */
const WRITING_STAGES = ['$out\0', '$merge\0'];

const UNAUTHORIZED = { code: 13, codeName: 'Unauthorized' };

/** The names of commands are the server's, in any case of letters that it takes. */
export function isHello(command: string): boolean {
  return HELLO.has(command.toLowerCase());
}

export function isTold(command: string): boolean {
  return !UNTOLD.has(command.toLowerCase());
}

export interface AskedCommand {
  command: string;
  /** As `$db` says it; undefined where it says nothing that is a name. */
  database: string | undefined;
  /** All of its bytes; undefined where it is too long to be held. */
  bytes: Buffer | undefined;
  /** Those it names beside; `any`: it cannot be told which. */
  others: ReadonlySet<string> | 'any';
}

export interface CommandRules {
  mayUse(database: string): boolean;
  /** Whether there is none that may not be used. */
  mayUseAll(): boolean;
  isReadOnly: boolean;
}

/** Undefined: it may pass. */
export function refuseCommand(
  { command, database, bytes, others }: AskedCommand,
  { mayUse, mayUseAll, isReadOnly }: CommandRules,
): Refusal | undefined {
  const name = command.toLowerCase();
  if (name.startsWith('sasl') || name === 'authenticate' || name === 'logout' || name.endsWith('getnonce'))
    return refused(`'${command}' is not taken here: the gateway has signed in for you`);
  if (OF_THE_CONNECTION.has(name)) return undefined;
  if (database === undefined || database === '') return refused('a command that names no database is not taken');
  if (others === 'any' && !mayUseAll())
    return refused(
      `'${command}' may reach any database, or is too long to tell which, and you may not use all of them`,
    );
  const forbidden = [database, ...(others === 'any' ? [] : others)].find((each) => !mayUse(each));
  if (forbidden !== undefined) return refused(`you may not use the database '${forbidden}'`);
  const writes = !READING.has(name) || !bytes || WRITING_STAGES.some((stage) => bytes.includes(stage));
  return isReadOnly && writes ? refused(`'${command}' could write, and this session only reads`) : undefined;
}

function refused(errmsg: string): Refusal {
  return { ...UNAUTHORIZED, errmsg: `${errmsg} (Gatehouse)` };
}
