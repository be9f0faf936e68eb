/** Desktops looked at and tried step by step, with real hosts, and what can be wrong with them. */
import { X509Certificate } from 'node:crypto';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { type ConnectionDiagnostic, diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { startShadow, type TestShadow } from '@gatehouse/testkit/desktop/shadow';
import { startXrdp, type TestXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { pinOf } from './desktop-certificates.ts';

const CURRENT = { clusterId: '-current-' };
const OTHER_PIN = `sha256:${'0'.repeat(64)}`;
const MET = ['access', 'access', 'reach', 'tcp', 'offers', 'tls', 'certificate', 'login'];

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
let xrdp: TestXrdp;
let shadow: TestShadow;

beforeAll(async () => {
  [gateway, xrdp, shadow] = await Promise.all([startIdentityGateway(), startXrdp(), startShadow()]);
  // Certificates look at their own clock.
  gateway.clock.now = Date.now();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  const rules = 'rules: [{resources: [connection_diagnostic], verbs: [create, read]}]';
  const logins = `[${xrdp.user}, ${shadow.user}]`;
  await makeRole(
    admin,
    'dev',
    `{allow: {windows_desktop_labels: {env: dev}, windows_desktop_logins: ${logins}, ${rules}}}`,
  );
  await gateway.addUser('ann', { roles: ['dev'] });
  ann = await gateway.signedIn('ann');
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([xrdp?.stop(), shadow?.stop()]);
});

const on = (name: string) => ({ params: { ...CURRENT, name } });
const addrOf = ({ port }: { port: number }) => `127.0.0.1:${port}`;
const lookAt = async (host: { port: number }) =>
  (await call(admin.send, desktopRoutes.lookAt, { params: CURRENT, body: { addr: addrOf(host) } })).shown;
const add = (name: string, host: { port: number }, more: object = {}) =>
  call(admin.send, desktopRoutes.add, {
    params: CURRENT,
    body: { name, addr: addrOf(host), labels: { env: 'dev' }, ...more },
  });
const setPassword = (name: string, login: string, password: string) =>
  call(admin.send, desktopRoutes.setPassword, { params: { ...CURRENT, name, login }, body: { password } });
const tried = (name: string, login: string) =>
  call(ann.send, diagnosticRoutes.connect, {
    params: CURRENT,
    body: { resource_kind: 'windows_desktop', resource_name: name, windows_login: login },
  });
const stepsOf = ({ traces = [] }: ConnectionDiagnostic) => traces.map(({ gatehouse }) => gatehouse?.step);
const lastOf = ({ traces = [] }: ConnectionDiagnostic) => {
  const { gatehouse, status, error, details } = traces.at(-1) ?? {};
  return { step: gatehouse?.step, status, error, details, next: gatehouse?.next };
};

test('the certificate that a host shows is told before it is added, and nobody signs in for it', async () => {
  const { raw, validToDate } = new X509Certificate(xrdp.certificate);
  expect(await lookAt(xrdp)).toMatchObject({ pin: pinOf(raw), until: validToDate.toISOString() });
  const nobody = { port: await freePort() };
  await expect(lookAt(nobody)).rejects.toMatchObject({ code: 'target_unreachable' });

  const told = (await gateway.events()).filter(({ code }) => code === 'GH215I').slice(-2);
  expect(told.map(({ data }) => [data.server_addr, data.success, data.draft])).toEqual([
    [addrOf(xrdp), true, true],
    [addrOf(nobody), false, true],
  ]);
});

test('a host with NLA takes the stored password, and each step is told', async () => {
  const { pin } = await lookAt(shadow);
  await add('nla', shadow, { certificate: { pin } });
  await setPassword('nla', shadow.user, shadow.password);
  const result = await tried('nla', shadow.user);
  expect([result.success, stepsOf(result)]).toEqual([true, MET]);
  expect(lastOf(result).details).toContain('(NLA)');

  await setPassword('nla', shadow.user, 'Wr0ng-secret');
  const wrong = await tried('nla', shadow.user);
  expect(lastOf(wrong)).toMatchObject({ step: 'login', status: 'FAILED' });
  expect(JSON.stringify([wrong, await gateway.events()])).not.toContain('Wr0ng-secret');
});

test('without NLA the password is not tried; without one that is stored, people are asked', async () => {
  await add('tls', xrdp, { certificate: { pin: (await lookAt(xrdp)).pin } });
  const asked = await tried('tls', xrdp.user);
  expect([asked.success, lastOf(asked).details]).toEqual([true, expect.stringContaining('people are asked for it')]);
  await setPassword('tls', xrdp.user, xrdp.password);
  expect(lastOf(await tried('tls', xrdp.user)).details).toContain('was not tried');
  await call(admin.send, desktopRoutes.removePassword, { params: { ...CURRENT, name: 'tls', login: xrdp.user } });
  await call(admin.send, desktopRoutes.update, { ...on('tls'), body: { askPassword: false } });
  expect(lastOf(await tried('tls', xrdp.user))).toMatchObject({
    ...{ step: 'login', status: 'FAILED' },
    error: expect.stringContaining('people may not type one'),
  });
});

test('another certificate stops it before anything is said, is told to the audit, and is accepted by who may change it', async () => {
  await add('moved', xrdp, { certificate: { pin: OTHER_PIN } });
  await setPassword('moved', xrdp.user, xrdp.password);
  expect(lastOf(await tried('moved', xrdp.user))).toMatchObject({
    ...{ step: 'certificate', status: 'FAILED' },
    next: expect.stringContaining('gatehouse desktops trust-certificate moved'),
  });
  const looked = await call(admin.send, desktopRoutes.readCertificate, on('moved'));
  expect(looked).toMatchObject({ known: { pin: OTHER_PIN }, isKnown: false });
  const told = (await gateway.events()).filter(({ code }) => code === 'GH371W');
  expect(told).toMatchObject([{ user: 'ann', data: { success: false, fingerprint: looked.shown.pin } }]);

  await call(admin.send, desktopRoutes.setCertificate, { ...on('moved'), body: { pin: looked.shown.pin } });
  const known = await call(admin.send, desktopRoutes.readCertificate, on('moved'));
  expect(known.isKnown).toBe(true);
  // What was stored for the former is void.
  expect(lastOf(await tried('moved', xrdp.user)).details).toContain('no password of');
});

test('a host that renewed its certificate is known by the new one when it proves that it knows the password', async () => {
  await add('renewed', shadow, { certificate: { pin: OTHER_PIN } });
  await setPassword('renewed', shadow.user, 'Wr0ng-secret');
  expect((await tried('renewed', shadow.user)).success).toBe(false);
  const pinned = async () => (await call(admin.send, desktopRoutes.details, on('renewed'))).certificate;
  expect(await pinned()).toEqual({ pin: OTHER_PIN });
  await setPassword('renewed', shadow.user, shadow.password);
  expect((await tried('renewed', shadow.user)).success).toBe(true);
  expect(await pinned()).toEqual({ pin: (await lookAt(shadow)).pin });
});

test('whom roles do not give and what is not seen are refused before anything is dialled', async () => {
  expect(lastOf(await tried('nla', 'root'))).toMatchObject({ step: 'access', status: 'FAILED' });
  expect(lastOf(await tried('nla', 'corp\\x'))).toMatchObject({ step: 'access', status: 'FAILED' });
  expect(stepsOf(await tried('nowhere', shadow.user))).toEqual(['access']);
});
