import { expect, test, vi } from 'vitest';
import { createConnection } from './connection.ts';
import { createSend } from './send.ts';

function sending(answer: () => Promise<Response>, { token, rested }: { token?: string; rested?: number } = {}) {
  const given = { bearerToken: () => token, restedMs: () => rested };
  const connection = createConnection({ ping: async () => false });
  const onNotSignedIn = vi.fn();
  const fetch = vi.fn<typeof window.fetch>(answer);
  const send = createSend({ fetch, csrfToken: 'c', ...given, connection, onNotSignedIn });
  return { send, fetch, connection, onNotSignedIn };
}

const GET = { method: 'GET', url: '/v1/webapi/sites' };

test('a call stays on this origin, is never cached, and has no bearer before sign-in', async () => {
  const { send, fetch } = sending(async () => new Response('[]'));

  expect(await send({ method: 'POST', url: '/v1/x', body: '{}' })).toEqual({ status: 200, text: '[]' });

  expect(fetch).toHaveBeenCalledWith('/v1/x', {
    method: 'POST',
    body: '{}',
    headers: { accept: 'application/json', 'content-type': 'application/json; charset=utf-8', 'x-csrf-token': 'c' },
    credentials: 'same-origin',
    mode: 'same-origin',
    cache: 'no-store',
  });
});

test('a signed-in call says how long nobody was at the keyboard, where that is watched', async () => {
  const { send, fetch } = sending(async () => new Response('[]'), { token: 't', rested: 61_000 });

  await send(GET);

  expect(fetch.mock.calls[0]?.[1]?.headers).toMatchObject({ 'x-gatehouse-idle-ms': '61000' });
});

test.each([502, 503])('an answer of %i means that the gateway is away', async (status) => {
  const { send, connection } = sending(async () => new Response('', { status }));

  await send(GET);

  expect(connection.state()).toBe('lost');
});

test('an unreachable target is not an unreachable gateway', async () => {
  const { send, connection } = sending(async () => new Response('', { status: 504 }));

  await send(GET);

  expect(connection.state()).toBe('ok');
});

test('no answer at all means lost, but a call that we gave up does not', async () => {
  const { send, connection } = sending(() => Promise.reject(new TypeError('Failed to fetch')));
  const aborted = AbortSignal.abort();

  await expect(send(GET, aborted)).rejects.toThrow();
  expect(connection.state()).toBe('ok');
  await expect(send(GET)).rejects.toThrow('Failed to fetch');

  expect(connection.state()).toBe('lost');
});

test.each([
  ['not_signed_in', 1],
  ['denied', 0],
])('a refusal with the code %s is told %i times', async (code, times) => {
  const body = JSON.stringify({ error: { code, message: 'no' } });
  const { send, onNotSignedIn } = sending(async () => new Response(body, { status: 403 }));

  await send(GET);

  expect(onNotSignedIn).toHaveBeenCalledTimes(times);
});

test('a refusal that is not JSON is passed on as it is', async () => {
  const { send, onNotSignedIn } = sending(async () => new Response('Forbidden', { status: 403 }));

  expect(await send(GET)).toEqual({ status: 403, text: 'Forbidden' });
  expect(onNotSignedIn).not.toHaveBeenCalled();
});

test.each([403, 502, 503])(
  'an answer of %i that another cluster gave signs nobody out, and this gateway is there',
  async (status) => {
    const body = JSON.stringify({ error: { code: 'not_signed_in', message: 'no' } });
    const headers = { 'x-gatehouse-relayed': 'yes' };
    const { send, onNotSignedIn, connection } = sending(async () => new Response(body, { status, headers }));

    await send(GET);

    expect(onNotSignedIn).not.toHaveBeenCalled();
    expect(connection.state()).toBe('ok');
  },
);
