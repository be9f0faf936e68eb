import fastify from 'fastify';
import { expect, test } from 'vitest';
import { servePage } from './page.ts';

const pageOf = async (isSignedIn: boolean) => {
  const app = fastify();
  await servePage(app, {
    consoleDir: '/nowhere',
    pageConfig: async () => ({}) as never,
    pageSignIn: async () => (isSignedIn ? { token: 'x' } : undefined),
  });
  return async (url: string) => {
    const { headers } = await app.inject({ url, headers: { host: 'localhost' } });
    return /script-src ([^;]*)/.exec(String(headers['content-security-policy']))?.[1];
  };
};

const DESKTOP = '/web/cluster/c1/desktops/win-1/CORP%5Cann';
const PLAYER = '/web/cluster/c1/session/7f4b';

test('only pages that draw remote desktops may compile wasm', async () => {
  const scripts = await pageOf(true);

  expect(await scripts(DESKTOP)).toBe("'self' 'wasm-unsafe-eval'");
  expect(await scripts(`${DESKTOP}?sid=1`)).toBe("'self' 'wasm-unsafe-eval'");
  expect(await scripts(PLAYER)).toBe("'self' 'wasm-unsafe-eval'");
  for (const url of ['/web', '/web/login', '/web/cluster/c1/desktops', '/web/cluster/c1/nodes', `/web?${DESKTOP}`])
    expect([url, await scripts(url)]).toEqual([url, "'self'"]);
});

test('nobody who is not signed in has them: what they see is the login page', async () => {
  const scripts = await pageOf(false);

  expect([await scripts(DESKTOP), await scripts(PLAYER)]).toEqual(["'self'", "'self'"]);
});
