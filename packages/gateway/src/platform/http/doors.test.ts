import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../testing/start-test-gateway.ts';

let gateway: TestGateway;
let consoleDir: string;
const host = { host: 'localhost:3080' };

beforeAll(async () => {
  consoleDir = mkdtempSync(join(tmpdir(), 'gatehouse-console-'));
  mkdirSync(join(consoleDir, 'assets'));
  writeFileSync(
    join(consoleDir, 'index.html'),
    '<meta name="grv_csrf_token" content="__CSRF_TOKEN__"><meta name="grv_bearer_token" content="__BEARER_TOKEN__"><!--private-->[private]<!--/private-->[middle]<!--private-->[frame]<!--/private-->[end]',
  );
  writeFileSync(join(consoleDir, 'assets', 'a-hash.js'), 'console.log(1)');
  gateway = await startTestGateway({ consoleDir });
});
afterAll(async () => {
  await gateway.close();
  rmSync(consoleDir, { recursive: true });
});

describe('the page', () => {
  test('the root leads to /web', async () => {
    const response = await gateway.app.inject({ url: '/', headers: host });

    expect([response.statusCode, response.headers.location]).toEqual([302, '/web']);
  });

  test.each(['/web', '/web/', '/web/login', '/web/cluster/c1/nodes', '/web/no/such/page'])(
    '%s is the single page',
    async (url) => {
      const response = await gateway.app.inject({ url, headers: host });

      expect(response.statusCode).toBe(200);
      expect(response.body).toMatch(/content="[0-9a-f]{64}"/);
      expect(response.headers).toMatchObject({
        'cache-control': 'no-store',
        vary: 'Cookie',
        'x-frame-options': 'DENY',
      });
      expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(response.headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe-inline/);
    },
  );

  test('its CSRF token is the one in the cookie, and a browser keeps the one it has', async () => {
    const first = await gateway.app.inject({ url: '/web', headers: host });
    const cookie = first.cookies.find(({ name }) => name === 'grv_csrf');
    const second = await gateway.app.inject({ url: '/web', headers: { ...host, cookie: `grv_csrf=${cookie?.value}` } });

    expect(first.body).toContain(`content="${cookie?.value}"`);
    expect(second.body).toContain(`content="${cookie?.value}"`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
  });

  test.each(['/web', '/web/login', '/web/cluster/c1/nodes'])(
    '%s names no files of private pages to somebody who is not signed in',
    async (url) => {
      const { body } = await gateway.app.inject({ url, headers: host });

      expect(body).not.toMatch(/\[private\]|\[frame\]/);
      expect(body.endsWith('[middle][end]')).toBe(true);
    },
  );

  test('its configuration is a script that sets one variable', async () => {
    const response = await gateway.app.inject({ url: '/web/config.js', headers: host });

    expect(response.headers['content-type']).toContain('application/javascript');
    const json = /^var GRV_CONFIG = (.*);\n$/.exec(response.body)?.[1];
    expect(JSON.parse(json ?? '')).toMatchObject({ proxyCluster: 'localhost', auth: { authType: 'local' } });
  });

  test('static files are cached for ever, and nothing outside their folder is served', async () => {
    const found = await gateway.app.inject({ url: '/web/app/assets/a-hash.js', headers: host });

    expect(found.headers['cache-control']).toContain('immutable');
    for (const url of [
      '/web/app/../../package.json',
      '/web/app/%2e%2e/%2e%2e/package.json',
      '/web/app/%252e%252e/%252e%252e/package.json',
      '/web/app/assets/..%2f..%2f..%2fpackage.json',
      '/web/app//etc/os-release',
      '/web/app/missing.js',
      '/web/app/',
    ]) {
      const missing = await gateway.app.inject({ url, headers: host });
      expect([url, missing.statusCode >= 400 || missing.body.includes('grv_csrf_token')]).toEqual([url, true]);
      expect(missing.body).not.toContain('"name"');
    }
  });
});

describe('a state-changing call', () => {
  const token = 'cd'.repeat(32);
  const body = { event: 'tp.ui.onboard.setCredential.submit', username: 'ann' };
  const post = (headers: Record<string, string>) =>
    gateway.app.inject({
      method: 'POST',
      url: '/v1/webapi/precapture',
      payload: body,
      headers: { ...host, ...headers },
    });

  test('that carries cookies needs the matching CSRF header', async () => {
    const cookie = `grv_csrf=${token}`;

    expect((await post({ cookie })).statusCode).toBe(403);
    expect((await post({ cookie, 'x-csrf-token': 'ef'.repeat(32) })).statusCode).toBe(403);
    expect((await post({ cookie, 'x-csrf-token': '' })).statusCode).toBe(403);
    expect((await post({ cookie: `grv_csrf=${token}; grv_csrf=${token}`, 'x-csrf-token': token })).statusCode).toBe(
      403,
    );
    expect((await post({ cookie, 'x-csrf-token': token })).statusCode).toBe(200);
  });

  test('from another origin is refused whatever it carries', async () => {
    expect(
      (await post({ origin: 'http://localhost:9999', cookie: `grv_csrf=${token}`, 'x-csrf-token': token })).statusCode,
    ).toBe(403);
    expect((await post({ origin: 'null' })).statusCode).toBe(403);
    expect((await post({ origin: 'http://localhost:3080' })).statusCode).toBe(200);
  });

  test('made too often from one address is refused with 429', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => post({})));

    expect(answers.some((answer) => answer.statusCode === 429)).toBe(true);
    gateway.clock.advance(120_000);
    expect((await post({})).statusCode).toBe(200);
  });
});

describe('every answer', () => {
  test('carries the security headers and no cache, errors too', async () => {
    for (const url of ['/v1/webapi/ping', '/v1/webapi/nothing', '/v1/webapi/%zz']) {
      const { headers } = await gateway.app.inject({ url, headers: host });

      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin',
        'cache-control': 'no-cache, no-store, must-revalidate',
      });
      expect(headers['strict-transport-security']).toBeUndefined();
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  test('is the same without the version in front', async () => {
    const plain = await gateway.app.inject({ url: '/v1/webapi/ping', headers: host });
    const short = await gateway.app.inject({ url: '/webapi/ping', headers: host });

    expect(short.body).toBe(plain.body);
  });

  test('is refused under a name that is not ours, so that a rebound name gets nothing', async () => {
    const response = await gateway.app.inject({ url: '/web', headers: { host: 'evil.example:3080' } });

    expect(response.statusCode).toBe(403);
    expect(response.cookies).toEqual([]);
  });
});

test('bytes that are no HTTP get an error in our shape and the process goes on', async () => {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as { port: number };

  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end('NOT HTTP AT ALL\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"code": "bad_request"');
  expect((await fetch(`http://127.0.0.1:${port}/v1/webapi/ping`)).status).toBe(200);
});
