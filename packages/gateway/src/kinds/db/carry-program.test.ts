import { expect, test } from 'vitest';
import { lookAtBytes } from './carry-program.ts';

test('a program that speaks is a sign of its person, what a database says to it is none, and silence is neither', () => {
  const client = { bytesRead: 0, bytesWritten: 0 };
  const look = lookAtBytes(client);

  expect(look()).toEqual({ hasSpoken: false, hasMoved: false });
  client.bytesWritten += 100;
  expect(look()).toEqual({ hasSpoken: false, hasMoved: true });
  client.bytesRead += 1;
  expect(look()).toEqual({ hasSpoken: true, hasMoved: true });
  expect(look()).toEqual({ hasSpoken: false, hasMoved: false });
});
