import { expect, test } from 'vitest';
import { readDoorName, serverNames } from './door-name.ts';

test.each([
  ['root@web-1', { login: 'root', server: 'web-1' }],
  // Logins of directories have one of their own.
  ['ann@corp.example@web-1', { login: 'ann@corp.example', server: 'web-1' }],
  ['root@web-1+prod', { login: 'root', server: 'web-1' }],
  ['root@web-1+PROD', { login: 'root', server: 'web-1' }],
  ['root@web-1+other', { login: 'root', server: 'web-1+other' }],
  ['root@+prod', { login: 'root', server: '+prod' }],
  ['root', undefined],
  ['@web-1', undefined],
  ['root@', undefined],
  ['', undefined],
  [`root@${'x'.repeat(600)}`, undefined],
])('%s', (name, read) => {
  expect(readDoorName(name, 'prod')).toEqual(read);
});

test.each([
  ['web-1', ['web-1']],
  ['web-1.prod', ['web-1.prod', 'web-1']],
  ['web-1.Prod', ['web-1.Prod', 'web-1']],
  ['.prod', ['.prod']],
])('a jump to %s means %j', (host, names) => {
  expect(serverNames(host, 'prod')).toEqual(names);
});
