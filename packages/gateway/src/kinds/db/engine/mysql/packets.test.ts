import { expect, test } from 'vitest';
import { readDone } from './packets.ts';

const SAID = 'Rows matched: 1  Changed: 1  Warnings: 0';
/** One row, no id, status 2, no warnings. */
const HEAD = [0, 1, 0, 2, 0, 0, 0];
const done = (...info: Buffer[]) => Buffer.concat([Buffer.from(HEAD), ...info]);

test.each([
  ['as servers write it', done(Buffer.of(SAID.length), Buffer.from(SAID)), false],
  ['as the protocol has it', done(Buffer.from(SAID)), false],
  ['to who follows the state of the session', done(Buffer.of(SAID.length), Buffer.from(SAID)), true],
])('what the server says of a statement is read %s', (_, body, tracks) => {
  expect(readDone(body, tracks)).toMatchObject({ affected: 1, status: 2, info: SAID });
});
