/** Databases that let in whoever shows a certificate of the gateway's, and nobody else. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startMariadb, type TestMariadb } from '@gatehouse/testkit/mariadb';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startFront } from '../../../testing/db/front.ts';
import { type LoneAuthorities, startLoneAuthorities } from '../../../testing/db/lone-authorities.ts';
import { makeTestAuthority, type TestAuthority } from '../../../testing/db/test-authority.ts';
import type { ServerTerms } from './engine/server-terms.ts';
import { serveMysql } from './serve-mysql.ts';
import { servePostgres } from './serve-postgres.ts';

let authorities: LoneAuthorities;
let other: TestAuthority;
let postgres: TestPostgres;
/** With a certificate by an authority that the gateway does not have. */
let strange: TestPostgres;
let mariadb: TestMariadb;

beforeAll(async () => {
  authorities = await startLoneAuthorities();
  other = await makeTestAuthority();
  const start = ({ cert, key }: { cert: string; key: string }) => {
    const write = (name: string, text: string) => `umask 077\ncat > ${name} <<END\n${text}END\n`;
    const rules = write('pg_hba.conf', 'host all gatehouse 127.0.0.1/32 trust\nhostssl all all 127.0.0.1/32 cert\n');
    return startPostgres({
      prepare: [
        write('server.crt', cert),
        write('server.key', key),
        write('server.cas', authorities.clientCas),
        rules,
      ].join(''),
      settings: ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key', 'ssl_ca_file=server.cas'],
    });
  };
  [postgres, strange, mariadb] = await Promise.all([
    start(authorities.server),
    start(other.server),
    startMariadb({
      files: {
        'server.crt': authorities.server.cert,
        'server.key': authorities.server.key,
        'server.cas': authorities.clientCas,
      },
      settings: ['--ssl-cert=FOLDER/server.crt', '--ssl-key=FOLDER/server.key', '--ssl-ca=FOLDER/server.cas'],
      statements: `create database shop; create user app@'127.0.0.1' require subject '/O=main/CN=app';
create user admin@'127.0.0.1' require subject '/O=main/CN=admin'; grant all on shop.* to app@'127.0.0.1';`,
    }),
  ]);
  for (const { url } of [postgres, strange]) {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('create role app login; create role admin login');
    await client.end();
  }
});
afterAll(async () => {
  await Promise.all([postgres?.stop(), strange?.stop(), mariadb?.stop()]);
  await authorities?.close();
});

const databaseOf = ({ url }: TestPostgres) => new URL(url).pathname.slice(1);
const termsAt = (server: TestPostgres, user = 'app', tls = {}) =>
  authorities.termsOf(user, { protocol: 'postgres', port: server.port, database: databaseOf(server), tls });

async function whoIsThere(server: TestPostgres, terms: ServerTerms): Promise<string> {
  const front = await startFront(servePostgres, { port: server.port, terms });
  onTestFinished(() => front.close());
  const client = new Client({ host: '127.0.0.1', port: front.port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ who: string; dn: string }>(
    'select current_user as who, client_dn as dn from pg_stat_ssl where pid = pg_backend_pid()',
  );
  await client.end();
  return `${rows[0]?.who} ${rows[0]?.dn}`;
}

test('PostgreSQL lets in by the certificate alone, as whom it names', async () => {
  expect(await whoIsThere(postgres, termsAt(postgres))).toBe('app /O=main/CN=app');
});

test('the certificate of one user is none of another', async () => {
  const terms = { ...termsAt(postgres, 'app'), user: 'admin' };

  await expect(whoIsThere(postgres, terms)).rejects.toThrow('certificate authentication failed for user "admin"');
});

test('what cancels later comes with a certificate of its own', async () => {
  const terms = termsAt(postgres);
  const front = await startFront(servePostgres, { port: postgres.port, terms });
  onTestFinished(() => front.close());
  const client = new Client({ host: '127.0.0.1', port: front.port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  await client.connect();
  const failed = client.query('select pg_sleep(600)').catch((error: unknown) => error);
  await expect.poll(() => front.asked.length).toBe(1);
  for (const session of front.sessions) await session.end('over');

  expect(await failed).toMatchObject({ code: '57P01' });
});

test('a server whose certificate is by another authority is none, unless it is named or the system knows it', async () => {
  await expect(whoIsThere(strange, termsAt(strange))).rejects.toThrow('nobody knows vouches for it');
  expect(await whoIsThere(strange, termsAt(strange, 'app', { ca: other.ca }))).toBe('app /O=main/CN=app');
  // Named, it stands alone.
  await expect(whoIsThere(postgres, termsAt(postgres, 'app', { ca: other.ca }))).rejects.toThrow('nobody knows');

  const system = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(system));
  setDefaultCACertificates([...system, other.ca]);
  expect(await whoIsThere(strange, termsAt(strange))).toBe('app /O=main/CN=app');
});

test('a server that shows what the gateway signs in with is none', async () => {
  const { cert, key } = await authorities.dbAuthorities.mint('db_client', {
    subject: { name: 'localhost' },
    names: ['localhost'],
    ttlMs: 60_000,
  });
  const write = (name: string, text: string) => `umask 077\ncat > ${name} <<END\n${text}END\n`;
  const forged = await startPostgres({
    prepare: write('server.crt', cert) + write('server.key', key),
    settings: ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key'],
  });
  onTestFinished(() => forged.stop());

  await expect(whoIsThere(forged, termsAt(forged))).rejects.toThrow('not accepted');
});

test('MariaDB lets in by the subject that it requires', async () => {
  const terms = authorities.termsOf('app', { protocol: 'mysql', port: mariadb.port, database: 'shop' });
  const asOther = await startFront(serveMysql, { port: mariadb.port, terms: { ...terms, user: 'admin' } });
  const front = await startFront(serveMysql, { port: mariadb.port, terms });
  onTestFinished(async () => {
    await Promise.all([front.close(), asOther.close()]);
  });
  const client = await createConnection({ host: '127.0.0.1', port: front.port, user: 'anybody' });
  const [rows] = await client.query<RowDataPacket[]>('select current_user() as who');
  await client.end();

  expect(rows).toEqual([{ who: 'app@127.0.0.1' }]);
  await expect(createConnection({ host: '127.0.0.1', port: asOther.port, user: 'anybody' })).rejects.toThrow(
    'Access denied',
  );
});
