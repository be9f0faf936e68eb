import { expect, test } from 'vitest';
import { z } from 'zod';
import { CallError, call, readError, type Sent } from './client.ts';
import { defineRoutes, pathFor } from './route.ts';

const routes = defineRoutes({
  rename: {
    method: 'PUT',
    path: '/v1/webapi/things/:name',
    summary: 'Renames a thing.',
    auth: 'signed-in',
    query: z.object({ dry: z.string().optional() }),
    body: z.object({ to: z.string() }),
    reply: z.object({ name: z.string() }),
  },
});

test('a call fills the path, the query and the body, and reads the reply by its schema', async () => {
  const sent: Sent[] = [];

  const reply = await call(
    async (request) => {
      sent.push(request);
      return { status: 200, text: '{"name":"b","extra":1}' };
    },
    routes.rename,
    { params: { name: 'a/b ü' }, query: { dry: 'yes' }, body: { to: 'b' } },
  );

  expect(reply).toEqual({ name: 'b' });
  expect(sent).toEqual([{ method: 'PUT', url: '/v1/webapi/things/a%2Fb%20%C3%BC?dry=yes', body: '{"to":"b"}' }]);
});

test('an empty path parameter is refused, it would address the collection', () => {
  expect(() => pathFor('/v1/users/:name', { name: '' })).toThrow("'name'");
});

test.each([
  ['{"error":{"message":"first"},"message":"second"}', 'first'],
  ['{"message":"second"}', 'second'],
  ['plain words', 'plain words'],
  ['', '500 - /v1/x'],
  ['\n<html><h1>502 Bad Gateway</h1></html>', '500 - /v1/x'],
  ['x'.repeat(400), `${'x'.repeat(300)}…`],
])('of %j the message is %j', (text, message) => {
  expect(readError({ status: 500, text }, '/v1/x').message).toBe(message);
});

test('our own error shape keeps code and request id', () => {
  const text = JSON.stringify({ error: { message: 'no', code: 'not_found', requestId: 'r1' } });

  const error = readError({ status: 404, text }, '/v1/x');

  expect(error).toBeInstanceOf(CallError);
  expect(error).toMatchObject({ code: 'not_found', status: 404, requestId: 'r1', message: 'no' });
});
