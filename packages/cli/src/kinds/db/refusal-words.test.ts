import { expect, test } from 'vitest';
import { refusalWords } from './refusal-words.ts';

const refused = (code: string, message: string) => Object.assign(new Error(message), { code });

test('PostgreSQL is told in a message of its own', () => {
  const words = refusalWords('postgres', refused('denied', 'none of your roles allows it'));

  expect(words?.readUInt32BE(1)).toBe((words?.length ?? 0) - 1);
  expect(words?.toString('latin1', 5)).toBe('SFATAL\0VFATAL\0C28000\0Mnone of your roles allows it\0\0');
});

test('MySQL is told in place of a greeting', () => {
  const words = refusalWords('mysql', refused('target_unreachable', 'nobody there'));

  expect(words).toEqual(Buffer.concat([Buffer.of(15, 0, 0, 0, 0xff, 0x51, 0x04), Buffer.from('nobody there')]));
});

test('Redis is told on one line, whatever stands in the words', () => {
  expect(refusalWords('redis', refused('denied', 'no\r\n+OK'))?.toString()).toMatch(/^-NOPERM no[^\r\n]*\+OK\r\n$/);
});

test('whoever has to sign in again is told how', () => {
  const words = refusalWords('redis', refused('not_signed_in', 'your sign-in has ended'));

  expect(words?.toString()).toBe('-NOPERM your sign-in has ended: run gatehouse login\r\n');
});

test('where an answer needs the question, there are none', () => {
  expect(refusalWords('mongodb', new Error('x'))).toBeUndefined();
  expect(refusalWords('sqlserver', new Error('x'))).toBeUndefined();
});
