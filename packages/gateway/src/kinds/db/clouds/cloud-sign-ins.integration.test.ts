/** Databases of clouds: stubs of what the clouds answer, and a real PostgreSQL that takes what they hand out. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type LocalAws, startLocalAws } from '../../../../testing/apps/aws/local-aws.ts';
import { directFetch } from '../../../../testing/aws/direct-fetch.ts';
import { startFront } from '../../../../testing/db/front.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';
import { type StubClouds, startStubClouds } from '../../../../testing/db/stub-clouds.ts';
import type { DbAuthorities } from '../../../identity/authorities/db/create-db-authorities.ts';
import type { GoogleEnvironment } from '../../../platform/config/google-environment.ts';
import { dbTerms } from '../dial-db.ts';
import type { ServerTerms } from '../engine/server-terms.ts';
import { toListedDb } from '../listed-db.ts';
import { servePostgres } from '../serve-postgres.ts';
import { createCloudSignIns } from './cloud-sign-ins.ts';

const KEY = { accessKeyId: 'AKIATESTTESTTEST', secretAccessKey: 'own-secret', region: 'eu-central-1' };
const ROLE = 'arn:aws:iam::123456789012:role/db';
const RDS = 'shop.abc123.eu-central-1.rds.amazonaws.com';
const REDSHIFT = 'shop.abc123.eu-central-1.redshift.amazonaws.com';
const REDSHIFT_PASSWORD = 'a&b<c>d';
const GOOGLE_TOKEN = 'ya29.token-of-google';
let postgres: SecurePostgres;
let sts: LocalAws;
let clouds: StubClouds;
let folder: string;
beforeAll(async () => {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-clouds-'));
  const options = { key: KEY, password: REDSHIFT_PASSWORD, publicKey: pair.publicKey, token: GOOGLE_TOKEN };
  [postgres, sts, clouds] = await Promise.all([
    startSecurePostgres(),
    startLocalAws({ ...KEY, roles: { [ROLE]: 'outside' } }),
    startStubClouds(options),
  ]);
  const account = { type: 'service_account', client_email: 'robot@project', private_key: pair.privateKey };
  writeFileSync(join(folder, 'google.json'), JSON.stringify({ ...account, token_uri: `${clouds.origin}/token` }));
  writeFileSync(join(folder, 'external.json'), JSON.stringify({ type: 'external_account', token: 'secret' }));
});
afterAll(async () => {
  await Promise.all([postgres?.stop(), sts?.close(), clouds?.close()]);
  if (folder) rmSync(folder, { recursive: true });
});
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', KEY.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', KEY.secretAccessKey);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'));
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'none'));
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  return () => vi.unstubAllEnvs();
});

/** Both sides are at a moment of their own, as a token is signed for one. */
function termsFor(fields: object, environment: Partial<GoogleEnvironment> = {}, now = Date.now): ServerTerms {
  const tls = { mode: 'verify-ca', ca: postgres.ca };
  const spec = { protocol: 'postgres', tls, ...fields };
  const resource = { cluster: 'main', kind: 'db', id: 'shop', name: 'shop', labels: {}, owner: '' } as const;
  const listed = toListedDb({ ...resource, spec, expires: undefined }, { offers: new Map(), services: [] });
  const aws = { region: KEY.region, stsEndpoint: sts.origin, redshiftEndpoint: clouds.origin };
  const google = { credentialsFile: '', metadataHost: '', ...environment };
  const signIns = createCloudSignIns({ aws, google, clusterName: 'main', cloudFetch: directFetch, now });
  const dbAuthorities = {} as DbAuthorities;
  const proofs = { secrets: { passwordOf: () => undefined }, dbAuthorities, clusterName: 'main', clouds: signIns };
  return dbTerms(proofs, listed, { dbUser: 'by_clear', dbName: postgres.database });
}

async function whoIsThere(terms: ServerTerms): Promise<string> {
  const front = await startFront(servePostgres, { port: postgres.port, terms });
  onTestFinished(() => front.close());
  const client = new Client({ host: '127.0.0.1', port: front.port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ who: string }>('select current_user as who');
  await client.end();
  return rows[0]?.who ?? '';
}

/** The database takes it from then on. */
async function letIn(user: string, password: string): Promise<void> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`alter role "${user}" password '${password.replaceAll("'", "''")}'`);
  await client.end();
}

test('RDS is signed in to by a token for this moment, and by no token of another', async () => {
  const at = Date.UTC(2026, 4, 1);
  const terms = termsFor({ uri: `${RDS}:5432` }, {}, () => at);
  const { credential } = await terms.issue!();
  const token = credential.method === 'password' ? credential.password : '';
  expect(token).toMatch(`${RDS}:5432/?Action=connect&DBUser=by_clear&X-Amz-Algorithm=AWS4-HMAC-SHA256`);
  expect(token).toContain('20260501%2Feu-central-1%2Frds-db%2Faws4_request');
  await letIn('by_clear', token);

  expect(await whoIsThere(terms)).toBe('by_clear');
  await expect(whoIsThere(termsFor({ uri: `${RDS}:5432` }))).rejects.toThrow('password authentication failed');
});

test('a role that the record names is taken once, with the external id it wants, and refused in words without', async () => {
  const aws = { roleArn: ROLE, externalId: 'outside' };
  const terms = termsFor({ uri: RDS, aws });
  const [first, second] = await Promise.all([terms.issue!(), terms.issue!()]);

  expect(JSON.stringify(first)).toContain('X-Amz-Security-Token=');
  expect(second).toEqual(first);
  expect(sts.assumed).toEqual([
    expect.objectContaining({ RoleArn: ROLE, ExternalId: 'outside', RoleSessionName: 'gatehouse-main' }),
  ]);
  await expect(whoIsThere(termsFor({ uri: RDS, aws: { ...aws, externalId: '' } }))).rejects.toThrow(
    `AWS does not let the gateway take the role '${ROLE}'`,
  );
});

test('Redshift gives user and password for each connection', async () => {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('create role "IAM:by_clear" login');
  await client.end();
  await letIn('IAM:by_clear', REDSHIFT_PASSWORD);

  expect(await whoIsThere(termsFor({ uri: REDSHIFT }))).toBe('IAM:by_clear');
  expect(clouds.asked.at(-1)).toMatchObject({ ClusterIdentifier: 'shop', DbName: postgres.database });
  await expect(whoIsThere(termsFor({ uri: REDSHIFT, aws: { clusterId: 'other' } }))).rejects.toThrow(
    "AWS gives no password for the cluster 'other': ClusterNotFound: Cluster & co not found.",
  );
});

test('without credentials it is said where they were looked for', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
  await expect(whoIsThere(termsFor({ uri: RDS }))).rejects.toThrow(
    /^no AWS credentials were found: neither in the env/,
  );

  const gcp = { uri: '10.0.0.9', gcp: { project: 'project', instance: 'shop' } };
  const nobody = { metadataHost: '127.0.0.1:1' };
  await expect(whoIsThere(termsFor(gcp, nobody))).rejects.toThrow(/^no credentials of Google Cloud were found/);
  const strange = { credentialsFile: join(folder, 'external.json') };
  await expect(whoIsThere(termsFor(gcp, strange))).rejects.toThrow('are none of a service account or a user');
});

test.each([
  ['a file of a service account', () => ({ credentialsFile: join(folder, 'google.json') }), '/token'],
  ['the machine', () => ({ metadataHost: clouds.host }), '/computeMetadata/v1/instance/service-accounts/default/token'],
])('Cloud SQL is signed in to by a token from %s, which is kept while it lasts', async (_from, environment, path) => {
  await letIn('by_clear', GOOGLE_TOKEN);
  let now = Date.now();
  const gcp = { project: 'project', instance: 'shop' };
  const terms = termsFor({ uri: '10.0.0.9', gcp }, environment(), () => now);
  const before = clouds.asked.length;

  expect(await whoIsThere(terms)).toBe('by_clear');
  expect(await whoIsThere(terms)).toBe('by_clear');
  expect(clouds.asked.slice(before).map((each) => each.path)).toEqual([path]);
  now += 3_400_000;
  await terms.issue!();
  expect(clouds.asked).toHaveLength(before + 2);
});

test('nothing is made for a server that has not shown who it is', async () => {
  const before = clouds.asked.length;
  const gcp = { gcp: { project: 'project', instance: 'shop' }, uri: '10.0.0.9' };
  const tls = { ca: postgres.ca };
  await expect(whoIsThere(termsFor({ ...gcp, tls }, { metadataHost: clouds.host }))).rejects.toThrow(
    'it names another host',
  );
  expect(clouds.asked).toHaveLength(before);
});
