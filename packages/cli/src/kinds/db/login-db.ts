/** `gatehouse db login`: a certificate with which programs of a database come straight to the gateway, and the files they find it by. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, type CommandDeps, type Format, type Io, print } from '../../command.ts';
import { sendIn } from '../../gateway/in-cluster.ts';
import { credentialOf, parseOrigin, remoteGateway, remoteSend } from '../../gateway/remote-gateway.ts';
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import { behindLink, writeOwn } from '../../output/write-own.ts';
import { Failure } from '../../runtime/failure.ts';
import {
  groupOf,
  homeOf,
  loginFiles,
  NATIVE_CLIENTS,
  NATIVE_PROTOCOLS,
  type NativeLogin,
  type NativeProtocol,
  nameHere,
  proxyCommand,
  readLogin,
} from './native-login.ts';
import { onlyOne } from './only-one.ts';
import { BrokenSetting, ForeignService, withoutService, withService } from './service-file.ts';

interface LoginOptions {
  format: Format;
  gateway?: string;
  /** A leaf of it. */
  cluster?: string;
  dbUser?: string;
  dbName?: string;
}

export function addLoginCommands(group: Command, { io }: CommandDeps): void {
  const add = (facts: Parameters<typeof addCommand>[1]) =>
    addCommand(group, facts)
      .option('--gateway <address>', 'the gateway, under your own sign-in; the one you signed in to last unless told')
      .option('--cluster <name>', 'a leaf cluster of that gateway; its own unless told');
  add({
    name: 'login <name>',
    summary:
      'Get a certificate for programs of PostgreSQL, MySQL, Redis, MongoDB or SQL Server, and write where they find it: psql service=NAME, mariadb --defaults-group-suffix=_NAME. What to type is printed.',
    examples: ['gatehouse db login shop', 'gatehouse db login shop --db-user app --db-name shop && psql service=shop'],
  })
    .option('--db-user <name>', 'the user of the database; the only one you may use unless told')
    .option('--db-name <name>', 'the database; its default unless told')
    .action((name: string, options: LoginOptions) => login(io, name, options));
  add({
    name: 'logout <name>',
    summary: 'Delete the certificate for a database, its key, and what programs find it by.',
    examples: ['gatehouse db logout shop'],
  }).action((name: string, options: LoginOptions) => logout(io, name, options));
}

async function login(io: Io, name: string, options: LoginOptions): Promise<void> {
  const [{ call }, { databaseRoutes }, { usualDatabase }, { dbTrustRoutes }, { createSecondFactor }] =
    await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/db/databases'),
      import('@gatehouse/contract/kinds/db/db-address'),
      import('@gatehouse/contract/kinds/db/db-trust'),
      import('../../input/second-factor.ts'),
    ]);
  const { origin } = remoteGateway(io, options.gateway);
  const { cluster } = options;
  const tunnel = proxyCommand(name, cluster);
  if (!origin.startsWith('https:'))
    throw new Failure('usage', `${origin} has no TLS, and so no door for programs: ${tunnel}`);
  const own = () => remoteSend(origin, credentialOf(io, origin));
  const send = () => (cluster === undefined ? own() : sendIn(cluster, own()));
  const params = { ...CURRENT, name };
  const db = await call(send(), databaseRoutes.get, { params });
  const { protocol } = db;
  if (!isNative(protocol))
    throw new Failure(
      'usage',
      `there is no door for programs of '${protocol}': ${tunnel} reaches '${printable(name)}'`,
    );
  const dbUser = options.dbUser ?? onlyOne(db.database_users ?? [], 'user', '--db-user');
  const usual = usualDatabase(protocol, db.gatehouse?.database);
  const dbName = options.dbName ?? (usual || onlyOne(db.database_names ?? [], 'database', '--db-name'));
  const files = loginFiles(io, origin, { name, cluster });
  const here = nameHere({ name, cluster });
  // Before anything is made: what is somebody else's is not replaced.
  await changeFile(io, here, protocol, undefined, false);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const factor = createSecondFactor({
    ...{ io, send, what: db.name, inBrowser: '', signal: new AbortController().signal },
    needed: 'a role of yours asks for a second factor for each session',
  });
  const body = { publicKey: pem, dbUser, dbName };
  const made = await factor.with(async (given) => {
    if (cluster === undefined)
      return await call(own(), dbTrustRoutes.certify, { params, body: { ...body, factor: given } });
    // Decided there, and a second factor traded there; the gateway certifies whom it leads there.
    const { pass } = await call(send(), databaseRoutes.pass, { params, body: { factor: given, dbUser, dbName } });
    return await call(own(), dbTrustRoutes.certify, { params, body: { ...body, leaf: cluster, pass } });
  });
  // Where this command found the gateway, programs do.
  const { hostname, port } = new URL(origin);
  if (protocol === 'mysql' && made.mysqlPort === undefined)
    throw new Failure(
      'failed',
      `this gateway does not listen for programs of MySQL (databases.mysqlListen): ${tunnel} reaches it`,
    );
  if ((protocol === 'redis' || protocol === 'mongodb') && made.serverName === '')
    throw new Failure('failed', `this gateway has no name that one of a database could stand under: ${tunnel}`);
  const found: NativeLogin = {
    ...(cluster === undefined ? {} : { cluster }),
    ...{ name, protocol, host: hostname, port: protocol === 'mysql' ? made.mysqlPort! : Number(port || '443') },
    ...{ serverName: made.serverName, user: made.dbUser, database: made.dbName, expires: made.expires },
    ...{ key: files.key, certificate: files.certificate, both: files.both, roots: files.roots },
  };
  const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  await writeOwn(files.key, key);
  await writeOwn(files.certificate, made.certificate);
  if (protocol === 'mongodb') await writeOwn(files.both, `${made.certificate}${key}`);
  // Whom this command believed, programs believe too.
  await writeOwn(files.roots, getCACertificates('default').join('\n'));
  await changeFile(io, here, protocol, found, true);
  await writeOwn(files.login, JSON.stringify(found));
  const client = NATIVE_CLIENTS[protocol];
  const note = client.note?.(found);
  const command = client.command(found);
  const told = [
    `certificate for '${printable(here)}' good until ${made.expires}, as long as you are signed in\n`,
    command === ''
      ? `What a program is told: gatehouse db config ${printable(name)}${cluster === undefined ? '' : ` --cluster ${printable(cluster)}`}\n`
      : `Connect with: ${printable(command)}\n`,
    note === undefined ? '' : `Mind: ${printable(note)}\n`,
  ];
  print(io, options.format, { ...found, ...settingsOf(found), command }, told.join(''));
}

async function logout(io: Io, name: string, options: LoginOptions): Promise<void> {
  // Also for who is signed in no more.
  const origin = options.gateway === undefined ? remoteGateway(io, undefined).origin : parseOrigin(options.gateway);
  const which = { name, cluster: options.cluster };
  const { key, certificate, both, login: facts } = loginFiles(io, origin, which);
  // One of an older command, which knew PostgreSQL alone, has told nothing of itself.
  const { protocol } = await readLogin(io, origin, which).catch(() => ({ protocol: 'postgres' as const }));
  await changeFile(io, nameHere(which), protocol, undefined, true);
  const wasThere = existsSync(certificate);
  await Promise.all([key, certificate, both, facts].map((file) => rm(file, { force: true })));
  const what = printable(nameHere(which));
  const words = wasThere ? `certificate for '${what}' deleted` : `there is no certificate for '${what}' here`;
  print(io, options.format, { name }, `${words}\n`);
}

function isNative(protocol: string): protocol is NativeProtocol {
  return NATIVE_PROTOCOLS.some((each) => each === protocol);
}

/** What stands in the file of its programs. */
function settingsOf({ protocol, host, port, database, user, ...files }: NativeLogin): Record<string, string> {
  if (protocol === 'postgres')
    return {
      ...{ host, port: String(port), dbname: database, user, sslmode: 'verify-full' },
      ...{ sslrootcert: files.roots, sslcert: files.certificate, sslkey: files.key, gssencmode: 'disable' },
    };
  if (protocol !== 'mysql') return {};
  const quoted = (path: string) => `"${path.replaceAll(/["\\]/g, '\\$&')}"`;
  return {
    ...{ protocol: 'tcp', host, port: String(port), user },
    ...{ ssl_ca: quoted(files.roots), ssl_cert: quoted(files.certificate), ssl_key: quoted(files.key) },
    // MariaDB's programs know the one, MySQL's the other; each passes over what it does not know.
    ...{ loose_ssl_verify_server_cert: '1', loose_ssl_mode: 'VERIFY_IDENTITY' },
  };
}

/** The file of its programs, and what the part of it is called that is ours; undefined: they have none. */
function fileOf(io: Io, protocol: NativeProtocol, name: string): { file: string; part: string } | undefined {
  if (protocol === 'postgres')
    return { file: io.env.PGSERVICEFILE || join(homeOf(io), '.pg_service.conf'), part: name };
  return protocol === 'mysql' ? { file: join(homeOf(io), '.my.cnf'), part: groupOf(name) } : undefined;
}

/** Puts ours in, or takes it out where there is nothing to put in. */
async function changeFile(
  io: Io,
  name: string,
  protocol: NativeProtocol,
  found: NativeLogin | undefined,
  write: boolean,
): Promise<void> {
  const where = fileOf(io, protocol, name);
  if (!where) return;
  const { part } = where;
  const file = await behindLink(where.file);
  // A character for each byte: what others wrote there may be of any encoding.
  const before = await readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new Failure('usage', `'${file}' cannot be read: ${error.message}`);
  });
  try {
    const after = found ? withService(before, part, settingsOf(found)) : withoutService(before, part);
    if (write && after !== before) await writeOwn(file, Buffer.from(after, 'latin1'));
  } catch (error) {
    if (error instanceof BrokenSetting)
      throw new Failure('failed', `'${error.message}' would hold control characters in '${file}': nothing was written`);
    if (!(error instanceof ForeignService)) throw error;
    throw new Failure('usage', `'${file}' has '${printable(part)}' of your own: rename that one first`);
  }
}
