/** What keeps pages of other sites out of a signed-in browser: the Origin of every socket, and how every cookie is set. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SOCKETS, STREAMS } from '@gatehouse/contract/api/sockets';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const FOREIGN = [
  'https://evil.example',
  'null',
  'http://localhost:9',
  'https://localhost:3080',
  'http://localhost:3080.evil.example',
  'http://app.localhost:3080',
  '',
];

test.each([...SOCKETS, ...STREAMS])(
  'a page of another site does not open %s with the cookies of its visitor',
  async (path) => {
    gateway = await startIdentityGateway();
    await gateway.addUser('ann', { roles: ['editor'] });
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const ann = await gateway.signedIn('ann');
    const { port } = gateway.app.server.address() as AddressInfo;
    const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const url = `ws://127.0.0.1:${port}${path.replaceAll(/:[A-Za-z]\w*/g, 'localhost')}?access_token=${ann.bearer}`;
    for (const origin of FOREIGN) {
      const socket = new WebSocket(url, { headers: { host: 'localhost:3080', origin, cookie } });
      const said = await Promise.race([
        once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
        once(socket, 'open').then(() => 'open'),
      ]);
      socket.on('error', () => undefined).terminate();

      expect([origin, said]).toEqual([origin, 403]);
    }
  },
);

test('over TLS every cookie is for this host alone, for TLS, and out of reach of scripts', async () => {
  gateway = await startIdentityGateway({ proxy: { behind: true, trusted: ['127.0.0.1'] } });
  await gateway.addUser('ann', { roles: ['editor'] });
  const set: string[] = [];
  const cookies = new Map<string, string>();
  const ask = async (method: string, url: string, more: Record<string, string> = {}, payload?: object) => {
    const response = await gateway.app.inject({
      method: method as 'GET',
      url,
      headers: {
        host: 'localhost:3080',
        'x-forwarded-proto': 'https',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...more,
      },
      ...(payload ? { payload } : {}),
    });
    set.push(...[response.headers['set-cookie'] ?? []].flat());
    for (const { name, value } of response.cookies) cookies.set(name, value);
    return response;
  };
  await ask('GET', '/web');
  const csrf = { 'x-csrf-token': cookies.get('__Host-grv_csrf') ?? '', origin: 'https://localhost:3080' };
  const signedIn = await ask('POST', signInRoutes.signIn.path, csrf, { user: 'ann', pass: PASSWORD });
  const bearer = { authorization: `Bearer ${signedIn.json().token}` };
  await ask('POST', signInRoutes.renew.path, { ...csrf, ...bearer }, {});
  const signedOut = await ask('DELETE', signInRoutes.signOut.path, { ...csrf, ...bearer });

  expect([signedIn.statusCode, signedOut.statusCode]).toEqual([200, 200]);
  expect(new Set(set.map((line) => line.split('=', 1)[0]))).toEqual(new Set(['__Host-grv_csrf', '__Host-session']));
  for (const line of set) {
    const [, ...attributes] = line.split('; ');
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']));
    expect(line).not.toMatch(/domain=/i);
  }
  // A neighbour on plain HTTP could have planted them under their bare names.
  const planted = [...cookies].map(([name, value]) => `${name.replace('__Host-', '')}=${value}`).join('; ');
  expect((await ask('GET', '/v1/webapi/user/status', { cookie: planted, ...bearer })).statusCode).toBe(403);
});
