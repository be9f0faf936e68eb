/** A real MariaDB that is signed in to in every way it has: by mysql_native_password, ed25519, the password itself, or a certificate; with TLS or without. */
import { startMariadb, type TestMariadb } from '@gatehouse/testkit/mariadb';
import { makeTestAuthority } from './test-authority.ts';

export const PASSWORD = "pass'word, =n%";
const QUOTED = `'${PASSWORD.replaceAll("'", "''")}'`;

const USERS = `
create database shop; create database other;
create user by_native@'127.0.0.1' identified via mysql_native_password using password(${QUOTED});
create user by_ed25519@'127.0.0.1' identified via ed25519 using password(${QUOTED});
create user by_cert@'127.0.0.1' require subject '/O=test/CN=by_cert';
grant all on *.* to by_native@'127.0.0.1';
grant all on shop.* to by_ed25519@'127.0.0.1', by_cert@'127.0.0.1';
`;

export interface SecureMariadb extends TestMariadb {
  /** Of the authority that both sides know, as PEM. */
  ca: string;
  /** What signs in as `by_cert`. */
  certificate: { cert: string; key: string };
}

/** `more`: statements of whoever owns the server. */
export async function startSecureMariadb(more = ''): Promise<SecureMariadb> {
  const { ca, server, certificate } = await makeTestAuthority();
  const files = { 'ca.crt': ca, 'server.crt': server.cert, 'server.key': server.key };
  const settings = [
    '--ssl-cert=FOLDER/server.crt',
    '--ssl-key=FOLDER/server.key',
    '--ssl-ca=FOLDER/ca.crt',
    '--plugin-load-add=auth_ed25519',
    '--local-infile=1',
    '--max-allowed-packet=64M',
  ];
  return { ...(await startMariadb({ files, settings, statements: `${USERS}${more}` })), ca, certificate };
}
