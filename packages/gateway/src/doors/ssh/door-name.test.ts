import { expect, test } from 'vitest';
import { readDoorName, readJump } from './door-name.ts';

test.each([
  ['root@web-1', { login: 'root', servers: ['web-1'] }],
  // Logins of directories have one of their own.
  ['ann@corp.example@web-1', { login: 'ann@corp.example', servers: ['web-1'] }],
  ['root@web-1+prod', { login: 'root', servers: ['web-1'] }],
  ['root@web-1+PROD', { login: 'root', servers: ['web-1'] }],
  ['root@web-1+other', { login: 'root', servers: ['web-1+other'] }],
  ['root@+prod', { login: 'root', servers: ['+prod'] }],
  ['root', undefined],
  ['@web-1', undefined],
  ['root@', undefined],
  ['', undefined],
  [`root@${'x'.repeat(600)}`, undefined],
  // They steer a terminal, or turn round what is read.
  ['root\u001b[2J@web-1', undefined],
  ['root@web-1\n', undefined],
  ['root@\u202e1-bew', undefined],
])('%s', (name, read) => {
  expect(readDoorName(name, 'prod')).toEqual(read);
});

test.each([
  ['web-1', ['web-1']],
  ['web-1.prod', ['web-1.prod', 'web-1']],
  ['web-1.Prod', ['web-1.Prod', 'web-1']],
  ['.prod', ['.prod']],
  ['web-1+prod', ['web-1']],
  ['web-1.prod+prod', ['web-1.prod']],
  ['web-1+other', ['web-1+other']],
])('a jump to %s means %j', (host, names) => {
  expect(readJump('root', host, 'prod')).toEqual({ login: 'root', servers: names });
});

test.each([
  ['root\u001b[2J', 'web-1'],
  ['root', 'web-1\r'],
  ['root', ''],
  ['root', 'x'.repeat(300)],
])('a jump as %j to %j means nobody', (login, host) => {
  expect(readJump(login, host, 'prod')).toBeUndefined();
});
