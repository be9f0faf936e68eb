/** Secrets of every sort are in use at once; then everything that can be asked for, and everything that was written down, is searched for them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { allRoutes } from '@gatehouse/contract/api/api';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { LIVE_SESSIONS_SOCKET } from '@gatehouse/contract/sessions/live-frames';
import { call } from '@gatehouse/contract/wire/client';
import { paramNames, pathFor } from '@gatehouse/contract/wire/route';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openApp } from '../../../testing/apps/app-world.ts';
import { codeOf, enrolApp, PASSWORD } from '../../../testing/identity-gateway.ts';
import { type ShellWorld, startShellWorld } from '../../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../../testing/sessions/terminal-client.ts';
import { newJoinToken } from '../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const HEADER_SECRET = 'upstream-secret-of-the-application';
const TYPED = 'typed-into-the-terminal';
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
let world: ShellWorld;
let params: Record<string, string>;
const secrets = new Map<string, string>();
const heard: string[] = [];
const closing: (() => void)[] = [];

beforeAll(async () => {
  world = await startShellWorld({ dataDir });
  const { gateway, admin, ann } = world;
  await world.makeRole(
    'apps',
    '{allow: {app_labels: {env: dev}, rules: [{resources: [app_server], verbs: [list, read]}]}}',
  );
  await gateway.setRoles('ann', ['dev', 'apps']);
  const { port } = gateway.app.server.address() as { port: number };
  const headers = [{ name: 'x-key', value: HEADER_SECRET }];
  const app = { name: 'echo', uri: `http://127.0.0.1:${port}`, labels: { env: 'dev' }, rewrite: { headers } };
  await call(admin.send, appRoutes.add, { params: { clusterId: 'localhost' }, body: app as never });
  await gateway.settled();

  const keep = (what: string, secret: string | undefined) => {
    if (!secret || secret.length < 8) throw new Error(`no secret: ${what}`);
    secrets.set(what, secret);
  };
  const totp = await enrolApp(gateway, ann);
  const privilege = await call(ann.send, passwordRoutes.createPrivilegeToken, {
    body: { secondFactorToken: codeOf(totp, gateway.clock.now) },
  });
  const { codes } = await call(ann.send, recoveryRoutes.createCodes, { body: { tokenId: privilege } });
  const waiting = await call(gateway.send, cliLoginRoutes.begin, { body: { client: 'laptop' } });
  const request = opening('edge', 'ubuntu');
  const client = connectTerminal(tabOf(gateway.app, ann), request);
  const { sid } = await client.state;
  client.type(TYPED);
  await client.until(new RegExp(TYPED));
  const [first = '', subject = ''] = (await openApp({ port }, ann, 'echo.localhost')).split('; ');
  const link = await call(admin.send, passwordRoutes.createToken, { body: { name: 'ann' } });

  keep('the password', PASSWORD);
  keep('the secret of an authenticator app', totp);
  keep('a proof', privilege);
  keep('a recovery code', codes[0]);
  keep('a reset link', link.tokenId);
  keep('a join token', await newJoinToken(admin.send));
  keep('a token for scripts', (await call(ann.send, apiTokenRoutes.create, { body: { name: 'ci' } })).token);
  keep('what a command line waits with', waiting.secret);
  keep('the number of somebody who types', request.writer);
  keep('the number of a request for a shell', request.request);
  keep('the first cookie of an application', first.split('=')[1]);
  keep('the second cookie of an application', subject.split('=')[1]);
  keep('a header for the application', HEADER_SECRET);
  keep('what was typed', TYPED);
  for (const [name, browser] of Object.entries({ ann, admin })) {
    keep(`the bearer of ${name}`, browser.bearer);
    keep(`the cookie of ${name}`, browser.cookies.get('session'));
    const { sid: inside } = JSON.parse(Buffer.from(browser.cookies.get('session') ?? '', 'hex').toString('utf8'));
    keep(`what is in the cookie of ${name}`, inside);
  }
  const { url, headers: tabHeaders, token } = tabOf(gateway.app, admin);
  const live = new WebSocket(new URL(LIVE_SESSIONS_SOCKET.replace(':clusterId', '-current-'), url), {
    headers: tabHeaders,
  });
  live.on('open', () => live.send(JSON.stringify({ type: 'hello', token })));
  live.on('message', (data) => void heard.push(String(data)));
  live.on('error', () => {});
  await vi.waitFor(() => expect(heard.join('')).toContain(sid), { timeout: 5_000 });
  closing.push(
    () => live.terminate(),
    () => client.cut(),
  );
  params = { clusterId: 'localhost', sid, id: 'edge', name: 'echo', username: 'ann', fqdn: 'echo.localhost' };
});
afterAll(async () => {
  for (const close of closing) close();
  await world.close();
  rmSync(dataDir, { recursive: true });
});

/** Whoever may see the screen of a session sees what was typed there. */
const SCREENS = [
  '/screen',
  '/playback',
  '/asciicast',
  '/statements',
  '/file',
  '/stream',
  '/events',
  '/find',
  '/search',
];

const found = (text: string, { but = [] as string[] } = {}) =>
  [...secrets].filter(([what, secret]) => !but.includes(what) && text.includes(secret)).map(([what]) => what);

async function everythingFor(who: TestBrowser): Promise<{ title: string; text: string; status: number }[]> {
  const answers = [];
  for (const { route } of allRoutes()) {
    if (route.method !== 'GET' || route.path.endsWith('/events/tail')) continue;
    const given = Object.fromEntries(paramNames(route.path).map((name) => [name, params[name] ?? 'x1']));
    for (const query of ['', '?from=0&to=9999999999999&limit=100&at=0&path=%2F&q=e&query=e']) {
      const { status, text } = await who.send({ method: 'GET', url: `${pathFor(route.path, given)}${query}` });
      answers.push({ title: `${route.path}${query}`, text, status });
    }
  }
  return answers;
}

test.each(['admin', 'ann'] as const)('no answer that %s can ask for holds a secret', async (name) => {
  const answers = await everythingFor(world[name]);

  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
  const leaks = answers.flatMap(({ title, text }) => {
    const but = SCREENS.some((part) => title.includes(part)) ? ['what was typed'] : [];
    return found(text, { but }).map((what) => `${title}: ${what}`);
  });
  expect(leaks).toEqual([]);
});

test('neither events, notices, metrics nor the log hold a secret, and live sessions are told without one', async () => {
  const { db } = world.gateway.storage;
  const written = {
    events: JSON.stringify(await db.selectFrom('event').selectAll().execute()),
    changes: JSON.stringify(await db.selectFrom('change').selectAll().execute()),
    metrics: await world.gateway.registry.metrics(),
    log: world.gateway.logged(),
    live: heard.join('\n'),
  };

  for (const [where, text] of Object.entries(written)) expect([where, text.length > 10]).toEqual([where, true]);
  expect(Object.entries(written).flatMap(([where, text]) => found(text).map((what) => `${where}: ${what}`))).toEqual(
    [],
  );
});

test('the id of a session alone attaches nobody', async () => {
  await world.gateway.addUser('eve', { roles: ['dev'] });
  // Asking for everything has used up what one address may.
  world.gateway.clock.advance(2 * 60_000);
  const eve = await world.gateway.signedIn('eve');
  const attach = { type: 'attach', sid: params.sid ?? '', mode: 'peer', cols: 80, rows: 24 } as const;
  const client = connectTerminal(tabOf(world.gateway.app, eve), { ...attach, writer: '00000000000000cc' });

  expect(await client.told('refused')).toMatchObject({ code: 'not_found' });
  expect(client.output()).toHaveLength(0);
});
