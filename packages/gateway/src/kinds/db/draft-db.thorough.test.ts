/** A database that is not added yet and that the gateway signs in to by itself: it is nobody there whom the roles of who asks do not give. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { failure, summary } from '../../../testing/connection-tests/server-world.ts';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { makeTestAuthority } from '../../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;
/** May add databases, and is `reader` on those of `env: dev`. */
let ann: TestBrowser;
let server: Server;
let spec: object;
/** Whom those that came showed themselves as, by a certificate. */
let shown: string[];

beforeEach(async () => {
  gateway = await startIdentityGateway();
  // Certificates look at their own clock.
  gateway.clock.now = Date.now();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const rules = 'rules: [{resources: [connection_diagnostic, db], verbs: [create]}]';
  await makeRole(admin, 'adds', `{allow: {db_labels: {env: dev}, db_users: [reader], db_names: ['*'], ${rules}}}`);
  await gateway.addUser('ann', { roles: ['adds'] });
  ann = await gateway.signedIn('ann');

  shown = [];
  const authority = await makeTestAuthority();
  server = createServer({ ...authority.server, requestCert: true, rejectUnauthorized: false });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    const { subject } = socket.getPeerCertificate();
    if (subject) shown.push(String(subject.CN));
    socket.end('-NOPERM no\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const uri = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const labels = [{ name: 'env', value: 'dev' }];
  spec = { protocol: 'redis', uri, tls: { ca: authority.ca }, signIn: 'certificate', labels };
});
afterEach(async () => {
  server.close();
  await gateway.close();
});

const draft = (as: TestBrowser, more: object) =>
  call(as.send, diagnosticRoutes.draft, { params: CLUSTER, body: { kind: 'db', spec: { ...spec, ...more } } });
const LEAVE_EMPTY = 'leave the user empty to test the way alone, and ask who may edit roles for the name';

test.each([
  ['another user', { dbUser: 'root' }],
  ['other labels', { dbUser: 'reader', labels: [{ name: 'env', value: 'prod' }] }],
])('%s than roles give is told, and the way there is tested all the same', async (_, more) => {
  const told = await draft(ann, more);

  expect(summary(told)).toEqual([
    ...['reach SUCCESS CONNECTIVITY', 'tcp SUCCESS CONNECTIVITY', 'tls SUCCESS CONNECTIVITY'],
    ...['protocol SUCCESS CONNECTIVITY', 'login FAILED DATABASE_DB_USER'],
  ]);
  expect(failure(told)).toMatchObject({
    error: `the gateway itself would sign in, and none of your roles lets you be '${more.dbUser}' in '0' of a database with these labels`,
    next: LEAVE_EMPTY,
  });
  expect(shown).toEqual([]);
});

test('who one is there, or anybody for who may edit roles, is tried, and the audit says as whom', async () => {
  await draft(ann, { dbUser: 'reader' });
  await draft(admin, { dbUser: 'root' });
  await draft(admin, {});

  expect(shown).toEqual(['reader', 'root']);
  const told = (await gateway.events()).filter(({ code }) => code === 'GH215I');
  expect(told.map(({ user, data }) => [user, data.login])).toEqual([
    ['ann', 'reader'],
    ['admin', 'root'],
    ['admin', undefined],
  ]);
});

test('who is locked is tried by nobody', async () => {
  const body = { targets: { login: 'root' }, message: 'x', force: true };
  await call(admin.send, lockRoutes.create, { params: CLUSTER, body });

  expect(failure(await draft(admin, { dbUser: 'root' }))).toMatchObject({
    error: "the gateway itself would sign in, and the login 'root' is locked",
    next: 'wait until the lock has run out, or ask who set it',
  });
  expect(shown).toEqual([]);
});

test('a password that somebody brings is theirs to try', async () => {
  const told = await draft(ann, { signIn: 'password', dbUser: 'root', password: 'own' });

  expect(failure(told)?.error).not.toContain('none of your roles');
  expect(shown).toEqual([]);
});
