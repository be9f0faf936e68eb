import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { AppError } from '../std/app-error.ts';
import { StoreDownError } from '../storage/errors.ts';
import { installErrorHook } from './error-hook.ts';

function appThatThrows(error: unknown) {
  const app = Fastify({ genReqId: () => 'req-1' });
  installErrorHook(app);
  app.get('/', async () => {
    throw error;
  });
  return app;
}

test('an error thrown on purpose keeps its code, status and words', async () => {
  const response = await appThatThrows(new AppError('conflict', "user 'ann' already exists")).inject('/');

  expect(response.statusCode).toBe(409);
  expect(response.json()).toEqual({
    error: { message: "user 'ann' already exists", code: 'conflict', requestId: 'req-1' },
    message: "user 'ann' already exists",
  });
});

test('a mistake of ours answers 500 with the request id and none of its own words', async () => {
  const response = await appThatThrows(new Error('password=hunter2 at /inner/path')).inject('/');

  expect(response.statusCode).toBe(500);
  expect(response.json().error).toMatchObject({ code: 'internal', requestId: 'req-1' });
  expect(response.body).not.toContain('hunter2');
});

test('a store that does not answer is said to be unavailable', async () => {
  const response = await appThatThrows(new StoreDownError('worker died')).inject('/');

  expect([response.statusCode, response.json().error.code]).toEqual([503, 'unavailable']);
});
