import { expect, test } from 'vitest';
import { judgeCommand } from './judge-command.ts';

function judged(line: string, { isInTransaction = false } = {}): string {
  return (
    judgeCommand(line.split(' '), { isInTransaction, mayUse: (database) => ['0', '2'].includes(database) }) ?? 'passes'
  );
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
