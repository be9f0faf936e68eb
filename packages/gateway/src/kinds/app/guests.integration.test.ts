/** Two gateways on one PostgreSQL: an application that was opened on one and is used on the other ends there like anything else. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { APP_AUTH_PATH, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  AGENT,
  type AppWorld,
  ask,
  cookieText,
  makeRole,
  openApp,
  startAppWorld,
} from '../../../testing/apps/app-world.ts';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sharedStores } from '../../../testing/storage/shared-stores.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../../testing/takeaways.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const HOST = 'lively.localhost';
const MINUTE_MS = 60_000;
const ENDED = 'T2011I';
let postgres: TestPostgres;
let here: AppWorld;
let there: IdentityGateway;
let port: number;

beforeAll(async () => {
  postgres = await startPostgres();
  const share = sharedStores(postgres.url);
  here = await startAppWorld({ shared: await share() });
  there = await startIdentityGateway({ shared: await share() });
  await there.app.listen({ host: '127.0.0.1', port: 0 });
  port = (there.app.server.address() as AddressInfo).port;
  const server = createServer((request, response) => {
    if (request.url !== '/events') return response.end('inside');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.write('data: here\n\n');
  });
  await here.add('lively', `http://127.0.0.1:${await here.server(server)}`);
  await makeTakeawayRoles(here.admin);
  await makeRole(here.admin, 'ties', '{options: {pin_source_ip: true}, allow: {}}');
  await there.settled();
});
afterAll(async () => {
  await there?.close();
  await here?.close();
  await postgres?.stop();
});

interface Visitor {
  name: string;
  role: string;
  who: TestBrowser;
  cookie: string;
  id: string;
  /** Of the page that is open on the other gateway. */
  closed: Promise<unknown>;
}

let people = 0;

/** Somebody who opened it here and looks at it there. */
async function visitor(): Promise<Visitor> {
  people += 1;
  const [name, role] = [`person-${people}`, `role-${people}`];
  await makeRole(here.admin, role, '{allow: {app_labels: {env: dev}}}');
  await here.gateway.addUser(name, { roles: [role] });
  const who = here.gateway.browser({ address: `127.0.1.${people}` });
  await who.signIn(name, PASSWORD);
  await there.settled();
  const cookie = await openApp(here, who, HOST);
  const [{ id = '' } = {}] = here.gateway.sessions.all().filter(({ session }) => session.user === name);
  const headers = { host: HOST, 'user-agent': AGENT, cookie };
  const page = get({ port, path: '/events', headers, agent: false });
  const [answer] = (await once(page, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.on('error', () => {}).resume();
  return { name, role, who, cookie, id, closed: new Promise((resolve) => answer.once('close', resolve)) };
}

async function isOver({ closed, cookie, id }: Visitor): Promise<void> {
  const late = sleep(SOON_MS, 'it goes on');
  expect(await Promise.race([closed, late])).not.toBe('it goes on');
  for (const each of [port, here.port]) {
    await expect
      .poll(async () => (await ask(each, { host: HOST, headers: { cookie } })).status, { timeout: SOON_MS })
      .toBe(302);
  }
  await expect.poll(() => [here.gateway.sessions.get(id), there.sessions.get(id)]).toEqual([undefined, undefined]);
  const told = async () => (await there.events()).filter(({ code, data }) => code === ENDED && data.sid === id).length;
  // However many gateways have ended it, it is told once.
  await expect.poll(told, { timeout: SOON_MS }).toBe(1);
}

test.each(TAKEAWAY_NAMES)('it is over there, and here, when %s', async (what) => {
  const one = await visitor();

  await TAKEAWAYS[what](here.admin, one.name, [one.role]);

  await isOver(one);
});

test.each<[string, (one: Visitor) => Promise<unknown>]>([
  ['they sign out', ({ who }) => call(who.send, signInRoutes.signOut, {})],
  [
    'a role ties their sign-in to another address than they use it from',
    ({ name, role }) => here.gateway.setRoles(name, [role, 'ties']),
  ],
  [
    'an administrator ends it here',
    ({ id }) => call(here.admin.send, sessionRoutes.end, { params: { clusterId: 'localhost', sid: id }, query: {} }),
  ],
  [
    'an administrator ends it there',
    async ({ id }) => {
      const admin = await there.signedIn('admin');
      await call(admin.send, sessionRoutes.end, { params: { clusterId: 'localhost', sid: id }, query: {} });
    },
  ],
  [
    'the application is changed',
    async () => {
      const params = { clusterId: 'localhost', name: 'lively' };
      const { app: _, ...rest } = await call(here.admin.send, appRoutes.get, { params });
      await call(here.admin.send, appRoutes.update, { params, body: { ...rest, description: 'another' } } as never);
    },
  ],
])('it is over there, and here, when %s', async (_, act) => {
  const one = await visitor();

  await act(one);

  await isOver(one);
});

test('cookies that a browser took on the other gateway are good for longer than somebody is waited for', async () => {
  const { cookie_value, subject_cookie_value } = await call(here.ann.send, appRoutes.session, {
    body: { fqdn: HOST, cluster_name: '', public_addr: '', arn: '' },
  });
  const headers = {
    'x-cookie-value': cookie_value,
    'x-subject-cookie-value': subject_cookie_value,
    origin: 'http://localhost:3080',
  };
  const taken = await ask(port, { host: HOST, path: APP_AUTH_PATH, method: 'POST', headers });
  expect(taken.status).toBe(200);

  here.gateway.clock.advance(6 * MINUTE_MS);
  // Longer than it takes to look at the clock.
  await sleep(2_500);

  const again = await ask(here.port, { host: HOST, headers: { cookie: cookieText(taken) } });
  expect([again.status, again.body]).toEqual([200, 'inside']);
});
