import { expect, test } from 'vitest';
import { judgeCommand } from './judge-command.ts';
import { KINDS_AND_ENDS } from './own-script.ts';

function judged(line: string, { isInTransaction = false, isReadOnly = false, mayUseAll = false } = {}): string {
  const mayUse = (database: string) => mayUseAll || ['0', '2'].includes(database);
  const rules = { isInTransaction, isReadOnly, mayUse, mayUseAll: () => mayUseAll };
  return judgeCommand(line.split(' '), rules) ?? 'passes';
}

test.each([
  'AUTH x',
  'auth user x',
  'HELLO 3 AUTH user x',
  'HELLO 3 SETNAME me auth user x',
  'HELLO 3 SETNAME SETNAME AUTH default x',
  'RESET',
  'MONITOR',
  'SYNC',
  'PSYNC ? -1',
  'REPLCONF listening-port 1',
  'CLIENT REPLY OFF',
  'client reply skip',
  'CLIENT REPLY',
  'SCRIPT DEBUG YES',
  'script debug sync',
  'DEBUG PROTOCOL push',
])('%s does not pass', (line) => {
  expect(judged(line)).toMatch(/^NOPERM .* does not pass here: /);
});

test.each([
  'HELLO',
  'HELLO 3',
  'HELLO 2 SETNAME auth',
  'CLIENT REPLY ON',
  'CLIENT KILL ID 3',
  'SCRIPT LOAD x',
  'DEBUG PROTOCOL map',
  'DEBUG SLEEP push',
  'CLIENT',
  'GET AUTH',
  'SELECT 0',
  'SELECT',
  'SWAPDB 0 2',
  'MOVE key 2',
  'COPY a b',
  'COPY DB 7 REPLACE',
  'COPY a b DB 2 REPLACE',
  'MIGRATE 127.0.0.1 6379 key 2 100',
  'CONFIG GET *',
  'REPLICAOF NO ONE',
])('%s passes', (line) => {
  expect(judged(line)).toBe('passes');
});

test.each([
  ['SELECT 3', '3'],
  ['SWAPDB 0 3', '3'],
  ['swapdb 3 0', '3'],
  ['MOVE key 4', '4'],
  ['COPY a b DB 3', '3'],
  ['COPY a b replace db 2 Db 3', '3'],
  ['MIGRATE 127.0.0.1 6379 key 5 100', '5'],
])('%s is refused where the database may not be used', (line, database) => {
  expect(judged(line)).toBe(`NOPERM this user may not use the database ${database} here`);
});

test.each(['SELECT 02', 'SELECT +2', 'SELECT 2x', 'SELECT -1', 'COPY a b DB 2.0'])(
  '%s names a database in no shape that all servers read alike',
  (line) => {
    expect(judged(line)).toBe('ERR invalid DB index');
  },
);

test.each(['SUBSCRIBE a', 'PUNSUBSCRIBE', 'HELLO 3'])('%s does not pass inside a transaction', (line) => {
  expect(judged(line, { isInTransaction: true })).toMatch(/^ERR .* inside MULTI$/);
});

test.each([
  ...['EVAL x 0', 'evalsha x 0', 'EVAL_RO x 0', 'EVALSHA_RO x 0', 'FCALL f 0', 'FCALL_RO f 0', 'FLUSHALL'],
  ...['SLOWLOG GET', 'slowlog get 128', 'SLOWLOG RESET'],
])('%s passes only who may use every database', (line) => {
  expect(judged(line)).toMatch(/^NOPERM .* it reaches every database/);
  expect(judged(line, { mayUseAll: true })).toBe('passes');
});

test.each([
  'CLIENT KILL ID 3',
  'client pause 100',
  'CLIENT UNPAUSE',
  'CLIENT UNBLOCK 3',
  'CLIENT NO-EVICT on',
  'MEMORY PURGE',
])('%s does not pass where nothing may be changed', (line) => {
  expect(judged(line, { isReadOnly: true })).toMatch(/this connection only reads$/);
});

test.each(['CLIENT SETNAME me', 'client list', 'CLIENT REPLY ON', 'MEMORY USAGE key', 'GET key'])(
  '%s passes where nothing may be changed',
  (line) => {
    expect(judged(line, { isReadOnly: true })).toBe('passes');
  },
);

test('the one script of our own passes where others do not', () => {
  const narrowed = { isInTransaction: false, mayUse: () => true, mayUseAll: () => false };
  expect(judgeCommand(['EVAL_RO', KINDS_AND_ENDS, '0'], narrowed)).toBeUndefined();
  expect(judgeCommand(['EVAL_RO', `${KINDS_AND_ENDS} `, '0'], narrowed)).toMatch(/^NOPERM/);
});
