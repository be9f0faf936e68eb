/** Web applications at a local port, against a real gateway: who asks is known, and other sites get nothing. */
import { request } from 'node:http';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { type AppWorld, startAppWorld } from '@gatehouse/gateway/testing/apps/app-world';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalListener } from '../../proxy/serve-local.ts';
import { serveHttpApp } from './serve-http-app.ts';

let world: AppWorld;
let ann: TestBrowser;
let listener: LocalListener;
const failures: unknown[] = [];
let opened = 0;

beforeAll(async () => {
  world = await startAppWorld();
  ann = await world.gateway.signedIn('ann');
  const port = await world.upstream((incoming, response) => {
    if (incoming.url === '/old') {
      response.writeHead(302, { location: `http://127.0.0.1:${port}/new`, 'set-cookie': 'own=1; Secure; Path=/' });
      return void response.end();
    }
    let body = '';
    incoming.on('data', (piece) => {
      body += piece;
    });
    incoming.on('end', () => response.end(JSON.stringify({ url: incoming.url, headers: incoming.headers, body })));
  });
  await world.add('web', `http://127.0.0.1:${port}`);
  listener = await serveHttpApp({
    host: '127.0.0.1',
    port: 0,
    origin: `http://localhost:${world.port}`,
    appOrigin: 'http://web.localhost:3080',
    userAgent: 'gatehouse/test',
    onFailure: (error) => failures.push(error),
    open: async () => {
      opened += 1;
      const body = { fqdn: 'web.localhost', cluster_name: 'localhost', public_addr: 'web.localhost' };
      const { cookie_value, subject_cookie_value } = await call(ann.send, appRoutes.session, { body });
      return { cookie: cookie_value, subject: subject_cookie_value };
    },
  });
});
afterAll(async () => {
  await listener?.close();
  await world?.close();
});

interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

function ask(path: string, { method = 'GET', headers = {}, body }: RequestOptions = {}) {
  const port = Number(listener.address.split(':')[1]);
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test('requests arrive with who sent them, bodies whole, and none of the way in', async () => {
  const sent = await ask('/a?b=1', {
    method: 'POST',
    headers: { cookie: 'mine=1', 'content-type': 'text/plain', 'x-forwarded-for': '6.6.6.6' },
    body: 'x'.repeat(200_000),
  });
  const heard = JSON.parse(sent.text) as { url: string; headers: Record<string, string>; body: string };

  expect(sent.status).toBe(200);
  expect(heard.url).toBe('/a?b=1');
  expect(heard.body).toHaveLength(200_000);
  expect(heard.headers.cookie).toBe('mine=1');
  expect(heard.headers['x-forwarded-for']).toBe('127.0.0.1');
  const [, claims = ''] = (heard.headers['gatehouse-jwt-assertion'] ?? '').split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: 'ann' });
});

test('redirects stay at this port, and cookies of the application work without TLS', async () => {
  const { status, headers } = await ask('/old');

  expect(status).toBe(302);
  expect(headers.location).toBe(`http://${listener.address}/new`);
  expect(headers['set-cookie']).toEqual(['own=1; Path=/']);
});

test.each([
  ['another site', { origin: 'https://evil.example' }],
  ['a name that leads here', { host: 'evil.example:80' }],
  ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
])('%s gets nothing through somebody’s browser', async (_, headers) => {
  expect((await ask('/', { headers })).status).toBe(403);
});

test('one session serves many requests, and another is opened when it has ended', async () => {
  const before = opened;
  await Promise.all([ask('/1'), ask('/2')]);
  expect(opened).toBe(before);

  // As the application's own sign-out does it.
  await ask('/teleport-logout');
  expect((await ask('/3', { headers: { accept: 'application/json' } })).status).toBe(200);
  expect(opened).toBe(before + 1);
  expect(failures).toEqual([]);
});
