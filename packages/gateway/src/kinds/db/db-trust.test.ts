import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { dbAuthorityRoutes } from '@gatehouse/contract/identity/db-authorities';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const CLUSTER = { params: { clusterId: 'localhost' } };
let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('ann', { roles: ['access'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString();
const signs = async (purpose: string, cert: X509Certificate) =>
  (await call(gateway.send, dbAuthorityRoutes.list, {}))
    .filter((each) => each.purpose === purpose)
    .some(({ certificate }) => cert.verify(new X509Certificate(certificate).publicKey));

async function newToken(
  roles: ('Db' | 'Node')[],
  more: object = { hosts: ['db.inside', '10.0.0.5'] },
): Promise<string> {
  const { id } = await call(admin.send, joinTokenRoutes.create, { body: { roles, ...more } });
  return id;
}

const byToken = (token: string, body: object = { hostname: 'db.inside' }) =>
  gateway.app.inject({
    method: 'POST',
    url: '/v1/webapi/sites/localhost/sign/db',
    headers: { host: 'localhost:3080', authorization: `Bearer ${token}` },
    payload: body,
  });

test('an administrator has a server signed, which is told; others may not', async () => {
  const ann = await gateway.signedIn('ann');
  const asked = { ...CLUSTER, body: { hosts: ['db.inside', '10.0.0.5'], publicKey } };
  await expect(call(ann.send, dbTrustRoutes.sign, asked)).rejects.toMatchObject({ status: 403 });
  const { certificate, expires, authorities } = await call(admin.send, dbTrustRoutes.sign, asked);
  const made = new X509Certificate(certificate);

  expect(made.toLegacyObject().subject).toEqual({ CN: 'db.inside' });
  expect(made.subjectAltName).toBe('DNS:db.inside, IP Address:10.0.0.5');
  expect(made.validToDate.toISOString()).toBe(expires);
  expect([await signs('db', made), await signs('db_client', made)]).toEqual([true, false]);
  // What a server trusts is not what signed it: a stolen key of a database signs in nowhere.
  expect(made.checkIssued(new X509Certificate(authorities))).toBe(false);
  expect((await gateway.events()).at(-1)).toMatchObject({
    code: 'GH381I',
    user: 'admin',
    data: { hosts: ['db.inside', '10.0.0.5'], fingerprint: made.fingerprint256 },
  });
});

test.each([
  ['a wildcard', { hosts: ['*.inside'] }],
  ['a name in capitals', { hosts: ['DB.inside'] }],
  ['nothing', { hosts: [] }],
  ['a name with a blank', { hosts: ['db .inside'] }],
  [
    'a key of another kind',
    { publicKey: generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }) },
  ],
  ['ten years', { ttlSeconds: 10 * 366 * 86_400 }],
])('%s is not signed', async (_what, wrong) => {
  const body = { hosts: ['db.inside'], publicKey, ...wrong } as { hosts: string[]; publicKey: string };

  await expect(call(admin.send, dbTrustRoutes.sign, { ...CLUSTER, body })).rejects.toMatchObject({ status: 400 });
});

test('a join token of the role Db signs once, and the archive holds what a server needs', async () => {
  const token = await newToken(['Db'], { hosts: ['db.inside', '10.0.0.5'], uses: 5 });
  const answer = await byToken(token, { hostname: 'db.inside,10.0.0.5', ttl: '24h' });

  expect(answer.headers['content-disposition']).toContain('filename="teleport_mTLS_db.inside.tar.gz"');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sign-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'all.tar.gz'), answer.rawPayload);
  execFileSync('tar', ['xzf', 'all.tar.gz'], { cwd: folder });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const made = new X509Certificate(read('server.crt'));
  expect(made.subjectAltName).toBe('DNS:db.inside, IP Address:10.0.0.5');
  expect(read('server.key')).toContain('PRIVATE KEY');
  expect(statSync(join(folder, 'server.key')).mode & 0o777).toBe(0o600);
  expect(await signs('db_client', new X509Certificate(read('server.cas')))).toBe(true);

  expect((await byToken(token)).statusCode).toBe(403);
  const events = await gateway.events();
  expect(events.filter(({ code }) => code === 'GH381I')).toHaveLength(1);
});

test('no other token signs, and a refused one uses nothing up', async () => {
  const token = await newToken(['Db'], { hosts: ['db.inside'], uses: 1 });
  expect((await byToken(await newToken(['Node'], {}))).statusCode).toBe(403);
  expect((await byToken('0'.repeat(32))).statusCode).toBe(403);
  expect((await byToken('')).statusCode).toBe(403);
  expect((await byToken(token, { hostname: '*.inside' })).statusCode).toBe(400);
  expect((await byToken(token, { hostname: 'db.inside', ttl: '99999h' })).statusCode).toBe(400);

  expect((await byToken(token)).statusCode).toBe(200);
});

test('a token signs for the hosts it was made for, each of them, and for no other', async () => {
  const token = await newToken(['Db'], { hosts: ['db.inside'] });
  for (const hostname of ['other.inside', 'db.inside,other.inside', '10.0.0.5', 'inside', 'x.db.inside']) {
    const refused = await byToken(token, { hostname });
    expect([refused.statusCode, refused.json().error.message]).toEqual([
      403,
      expect.stringMatching(/signs no certificate for '.*': make one that does/),
    ]);
  }

  expect((await byToken(token)).statusCode).toBe(200);
  expect((await gateway.events()).filter(({ code }) => code === 'GH381I')).toHaveLength(1);
});

test('a token without hosts signs for databases whose labels it names, and without those for nothing', async () => {
  const add = (name: string, uri: string, env: string, tls = {}) =>
    call(admin.send, databaseRoutes.add, {
      ...CLUSTER,
      body: { name, uri, protocol: 'postgres', labels: [{ name: 'env', value: env }], tls },
    });
  await add('shop', 'db.inside:5432', 'prod', { serverName: 'shop.inside' });
  await add('wiki', 'wiki.inside:5432', 'dev');
  const byLabels = { suggested_agent_matcher_labels: { env: ['prod'] } };

  expect((await byToken(await newToken(['Db'], {}))).statusCode).toBe(403);
  const token = await newToken(['Db'], byLabels);
  expect((await byToken(token, { hostname: 'wiki.inside' })).statusCode).toBe(403);
  expect((await byToken(token, { hostname: 'db.inside,shop.inside' })).statusCode).toBe(200);
});

test('only who may add databases makes tokens that sign, and only who may change them those that look after some', async () => {
  const content =
    'kind: role\nversion: v6\nmetadata: {name: joins}\nspec: {allow: {rules: [{resources: [token], verbs: ["*"]}]}}\n';
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('tim', { roles: ['joins'] });
  const tim = await gateway.signedIn('tim');
  const make = (body: object) => call(tim.send, joinTokenRoutes.create, { body: { roles: ['Db'], ...body } });

  await expect(make({ hosts: ['db.inside'] })).rejects.toMatchObject({ status: 403 });
  await expect(make({ suggested_agent_matcher_labels: { env: ['prod'] } })).rejects.toMatchObject({ status: 403 });
  await expect(newToken(['Node'], { hosts: ['db.inside'] })).rejects.toMatchObject({ status: 400 });
  expect(await make({})).toMatchObject({ method: 'token' });
});
