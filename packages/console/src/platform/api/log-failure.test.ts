import { afterEach, expect, test, vi } from 'vitest';
import { UnreadableAnswerError } from './failures.ts';
import { logFailure, logSuccess } from './log-failure.ts';

afterEach(() => void vi.restoreAllMocks());

const refused = Object.assign(new Error('no such user'), { status: 404, requestId: 'r-1' });

test('a failed call is one line with what is needed to look it up', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});

  logFailure('GET /v1/webapi/users/:name', refused);

  expect(warn.mock.calls).toEqual([['GET /v1/webapi/users/:name failed: no such user, status 404, request r-1']]);
});

test('a poll that keeps failing is told once, and again after it had worked or fails otherwise', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const call = 'GET /v1/webapi/user/status';

  for (let turn = 0; turn < 5; turn += 1) logFailure(call, refused);
  expect(warn).toHaveBeenCalledTimes(1);
  logFailure(call, new Error('Failed to fetch'));
  expect(warn).toHaveBeenCalledTimes(2);
  logSuccess(call);
  logFailure(call, new Error('Failed to fetch'));

  expect(warn).toHaveBeenCalledTimes(3);
});

test('an answer nobody can read is an error, with what was wrong in it', () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const cause = new Error('expected a number at users.0.id');

  logFailure('GET /v1/webapi/users', new UnreadableAnswerError(cause));

  expect(error).toHaveBeenCalledWith('GET /v1/webapi/users failed: the answer is not what the contract says', cause);
});
