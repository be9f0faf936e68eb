/** A real PostgreSQL that is signed in to in every way: by SCRAM, md5, the password itself, or a certificate; with TLS or without. */
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { Client } from 'pg';
import { makeTestAuthority } from './test-authority.ts';

export const PASSWORD = "pass'word, =n%";

const RULES = `
cat > pg_hba.conf <<END
host    all gatehouse 127.0.0.1/32 trust
host    all by_scram  127.0.0.1/32 scram-sha-256
host    all by_md5    127.0.0.1/32 md5
host    all by_clear  127.0.0.1/32 password
hostssl all "IAM:by_clear" 127.0.0.1/32 password
hostssl all by_cert   127.0.0.1/32 cert
END
`;

export interface SecurePostgres extends TestPostgres {
  /** Of the authority that both sides know, as PEM. */
  ca: string;
  /** What signs in as `by_cert`. */
  certificate: { cert: string; key: string };
  database: string;
  /** Shows another certificate from then on, which lasts three months. */
  renew(): Promise<void>;
}

export async function startSecurePostgres(
  further: readonly string[] = [],
  release: { versions?: string } = {},
): Promise<SecurePostgres> {
  const { ca, server, renewed, certificate } = await makeTestAuthority();
  const write = (name: string, text: string) => `umask 077\ncat > ${name} <<END\n${text}END\n`;
  const files = [write('ca.crt', ca), write('server.crt', server.cert), write('server.key', server.key)];
  files.push(write('renewed.crt', renewed.cert), write('renewed.key', renewed.key));
  const postgres = await startPostgres({
    ...release,
    prepare: [...files, RULES].join('\n'),
    settings: ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key', 'ssl_ca_file=ca.crt', ...further],
  });
  await makeUsers(postgres.url);
  const database = new URL(postgres.url).pathname.slice(1);
  return { ...postgres, ca, certificate, database, renew: () => renew(postgres.url) };
}

async function renew(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("copy (select 1) to program 'cat > copied; cp renewed.crt server.crt; cp renewed.key server.key'");
  await client.query('select pg_reload_conf()');
  await client.end();
}

async function makeUsers(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const password = PASSWORD.replaceAll("'", "''");
  await client.query(
    `set password_encryption = 'scram-sha-256'; create role by_scram superuser login password '${password}'`,
  );
  await client.query(`create role by_clear login password '${password}'; create role by_cert login`);
  await client.query(`set password_encryption = 'md5'; create role by_md5 login password '${password}'`);
  await client.end();
}
