import { desktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { describe, expect, test } from 'vitest';
import { loginKey, readLogin } from './login-name.ts';

const of = (domain: string) => ({ spec: desktopSpec.parse({ addr: '10.0.0.7:3389', domain }) });
const LOCAL = of('');
const CORP = of('corp.test');

describe('a login is read once', () => {
  test.each([
    ['ann', LOCAL, { user: 'ann', domain: '', name: 'ann' }],
    ['.\\ann', LOCAL, { user: 'ann', domain: '', name: 'ann' }],
    ['CORP\\ann', LOCAL, { user: 'ann', domain: 'CORP', name: 'corp\\ann' }],
    ['ann@corp.test', LOCAL, { user: 'ann', domain: 'corp.test', name: 'corp.test\\ann' }],
    ['ann', CORP, { user: 'ann', domain: 'corp.test', name: 'ann' }],
    [' Ann@CORP.test ', CORP, { user: 'Ann', domain: 'corp.test', name: 'Ann' }],
    ['CORP\\ann', CORP, { user: 'ann', domain: 'corp.test', name: 'ann' }],
    ['.\\ann', CORP, { user: 'ann', domain: '', name: '.\\ann' }],
    ['OTHER\\ann', CORP, { user: 'ann', domain: 'OTHER', name: 'other\\ann' }],
    ['ann@corp.test.evil', CORP, { user: 'ann', domain: 'corp.test.evil', name: 'corp.test.evil\\ann' }],
  ])('%s', (typed, desktop, login) => expect(readLogin(typed, desktop)).toEqual(login));

  test.each([
    '',
    ' ',
    '\\ann',
    'CORP\\',
    'a\\b\\c',
    'a/b',
    'CORP\\ann@corp.test',
    'ann@',
    '@corp',
    'a\u202eb',
    'x'.repeat(300),
  ])('%j is no account', (typed) => expect(() => readLogin(typed, CORP)).toThrow('is no account'));

  test('Windows does not tell upper from lower case', () => {
    expect(loginKey(readLogin('ANN@Corp.Test', LOCAL))).toBe(loginKey(readLogin('corp.test\\ann', LOCAL)));
    expect(loginKey(readLogin('ann', LOCAL))).not.toBe(loginKey(readLogin('ann', CORP)));
  });
});
