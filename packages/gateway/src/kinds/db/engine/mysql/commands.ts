/** The commands of MySQL's protocol: which pass, what answers them, how much of each is read. */
import { KEPT_TEXT_BYTES } from '../statement.ts';
import type { WantedPacket } from './packet-reader.ts';

/** `one`: a single packet that says how it went. `line`: a single one of whatever. `fields`: columns up to their end. `prepared`: what a statement has of columns. */
export type AnswerShape = 'none' | 'one' | 'line' | 'fields' | 'results' | 'rows' | 'prepared';

export interface CommandRule extends WantedPacket {
  name: string;
  answer: AnswerShape;
  /** Nothing of it reaches the server before that has come: it may be refused. */
  isHeld?: true;
}

const TEXT = { keep: KEPT_TEXT_BYTES + 1, isHashed: true, isHeld: true } as const;
const VALUES = 64 * 1024;
const SMALL = 1_024;

/** What is not in it does not pass: another user would be signed in, the whole server copied, or nobody knows what happens. */
export const COMMANDS: ReadonlyMap<number, CommandRule> = new Map<number, CommandRule>([
  [1, { name: 'quit', answer: 'none', keep: 1 }],
  [2, { name: 'useDatabase', answer: 'one', keep: SMALL, isHeld: true }],
  [3, { name: 'query', answer: 'results', ...TEXT }],
  [4, { name: 'fieldList', answer: 'fields', keep: SMALL }],
  [5, { name: 'createDatabase', answer: 'one', keep: SMALL }],
  [6, { name: 'dropDatabase', answer: 'one', keep: SMALL }],
  [7, { name: 'refresh', answer: 'one', keep: SMALL }],
  [8, { name: 'shutDown', answer: 'one', keep: 1 }],
  [9, { name: 'statistics', answer: 'line', keep: 1 }],
  [10, { name: 'processes', answer: 'results', keep: 1 }],
  [12, { name: 'processKill', answer: 'one', keep: SMALL }],
  [13, { name: 'debug', answer: 'one', keep: 1 }],
  [14, { name: 'ping', answer: 'one', keep: 1 }],
  [22, { name: 'prepare', answer: 'prepared', ...TEXT }],
  [23, { name: 'execute', answer: 'results', keep: VALUES }],
  [24, { name: 'sendLongData', answer: 'none', keep: 7 }],
  [25, { name: 'closeStatement', answer: 'none', keep: SMALL }],
  [26, { name: 'resetStatement', answer: 'one', keep: SMALL }],
  [27, { name: 'setOption', answer: 'one', keep: SMALL }],
  [28, { name: 'fetch', answer: 'rows', keep: SMALL }],
  [31, { name: 'resetConnection', answer: 'one', keep: 1 }],
  [250, { name: 'bulkExecute', answer: 'results', keep: VALUES }],
]);

const REFUSED_NAMES: Readonly<Record<number, string>> = {
  17: 'change user',
  18: 'binlog dump',
  19: 'table dump',
  20: 'connect out',
  21: 'register replica',
  30: 'binlog dump by GTID',
  32: 'clone',
};

/** For the words of a refusal. */
export function refusedName(number: number): string {
  return REFUSED_NAMES[number] ?? `number ${number}`;
}
