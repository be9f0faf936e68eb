import { expect, test } from 'vitest';
import { withLogin } from './login-memory.ts';
import { mayUse, offeredLogins, usualLogin } from './logins.ts';

const node = (...sshLogins: string[]) => ({ id: 'n1', sshLogins });
const names = (...given: Parameters<typeof offeredLogins>) => offeredLogins(...given).map(({ login }) => login);

test('the login used last comes first, then those used elsewhere, one’s own, and the alphabet', () => {
  const memory = { n1: [{ login: 'web', time: 5 }], n2: [{ login: 'root', time: 9 }] };

  expect(names(node('admin', 'maya', 'root', 'web', 'zed'), memory, 'maya')).toEqual([
    'web',
    'root',
    'maya',
    'admin',
    'zed',
  ]);
});

test('a remembered login that is no longer allowed is not offered', () => {
  expect(names(node('web'), { n1: [{ login: 'root', time: 5 }] }, 'maya')).toEqual(['web']);
});

test('where any login may be typed, those used before are offered and Connect uses none that was not', () => {
  expect(names(node('*'), {}, 'maya')).toEqual(['maya']);
  expect(usualLogin(node('*'), {}, 'maya')).toBeUndefined();
  expect(usualLogin(node('*'), { n1: [{ login: 'root', time: 5 }] }, 'maya')).toBe('root');
  expect(usualLogin(node('web', 'app'), {}, 'maya')).toBe('app');
  expect(usualLogin(node(), {}, 'maya')).toBeUndefined();
});

test('only what is allowed may be used, and only what a server takes may be typed', () => {
  expect(mayUse(node('web'), 'web')).toBe(true);
  expect(mayUse(node('web'), 'root')).toBe(false);
  expect(mayUse(node('*'), 'root')).toBe(true);
  expect(mayUse(node('*'), '-oProxyCommand')).toBe(false);
});

test('the memory keeps five logins of a server and the servers used last', () => {
  let memory = {};
  for (let time = 1; time <= 310; time += 1) memory = withLogin(memory, `n${time}`, { login: 'web', time });
  for (const login of ['a', 'b', 'c', 'd', 'e', 'f', 'b']) memory = withLogin(memory, 'n310', { login, time: 500 });

  expect(Object.keys(memory)).toHaveLength(300);
  expect(memory).not.toHaveProperty('n1');
  expect((memory as Record<string, { login: string }[]>).n310?.map(({ login }) => login)).toEqual([
    'b',
    'f',
    'e',
    'd',
    'c',
  ]);
});
