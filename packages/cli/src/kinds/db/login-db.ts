/** `gatehouse db login`: a certificate with which programs of PostgreSQL come straight to the gateway, and the service they find it by. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { printable } from '@gatehouse/contract/std/printable';
import type { Command } from 'commander';
import { addCommand, type CommandDeps, type Format, type Io, print } from '../../command.ts';
import { credentialOf, parseOrigin, remoteGateway, remoteSend } from '../../gateway/remote-gateway.ts';
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import { Failure } from '../../runtime/failure.ts';
import { onlyOne } from './only-one.ts';
import { ForeignService, withoutService, withService } from './service-file.ts';
import { behindLink, writeOwn } from './write-own.ts';

interface LoginOptions {
  format: Format;
  gateway?: string;
  dbUser?: string;
  dbName?: string;
}

export function addLoginCommands(group: Command, { io }: CommandDeps): void {
  const add = (facts: Parameters<typeof addCommand>[1]) =>
    addCommand(group, facts).option(
      '--gateway <address>',
      'the gateway, under your own sign-in; the one you signed in to last unless told',
    );
  add({
    name: 'login <name>',
    summary:
      'Get a certificate for programs of PostgreSQL, and write a service by the name of the database: psql service=NAME.',
    examples: ['gatehouse db login shop', 'gatehouse db login shop --db-user app --db-name shop && psql service=shop'],
  })
    .option('--db-user <name>', 'the user of the database; the only one you may use unless told')
    .option('--db-name <name>', 'the database; its default unless told')
    .action((name: string, options: LoginOptions) => login(io, name, options));
  add({
    name: 'logout <name>',
    summary: 'Delete the certificate for a database, its key, and the service.',
    examples: ['gatehouse db logout shop'],
  }).action((name: string, options: LoginOptions) => logout(io, name, options));
}

async function login(io: Io, name: string, options: LoginOptions): Promise<void> {
  const [{ call }, { databaseRoutes }, { dbTrustRoutes }, { createSecondFactor }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/kinds/db/databases'),
    import('@gatehouse/contract/kinds/db/db-trust'),
    import('../../input/second-factor.ts'),
  ]);
  const { origin } = remoteGateway(io, options.gateway);
  if (!origin.startsWith('https:'))
    throw new Failure('usage', `${origin} has no TLS, and so no door for programs: gatehouse proxy db ${name}`);
  const send = () => remoteSend(origin, credentialOf(io, origin));
  const params = { ...CURRENT, name };
  const db = await call(send(), databaseRoutes.get, { params });
  if (db.protocol !== 'postgres')
    throw new Failure(
      'usage',
      `'${printable(name)}' is no PostgreSQL: gatehouse proxy db ${printable(name)} reaches it`,
    );
  const dbUser = options.dbUser ?? onlyOne(db.database_users ?? [], 'user', '--db-user');
  const dbName =
    options.dbName ?? (db.gatehouse?.database || onlyOne(db.database_names ?? [], 'database', '--db-name'));
  const files = filesFor(io, origin, name);
  // Before anything is made: a service of somebody else's is not replaced.
  await changeServices(io, name, (text) => withoutService(text, name), false);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const factor = createSecondFactor({
    ...{ io, send, what: db.name, inBrowser: '', signal: new AbortController().signal },
    needed: 'a role of yours asks for a second factor for each session',
  });
  const made = await factor.with((given) =>
    call(send(), dbTrustRoutes.certify, { params, body: { publicKey: pem, factor: given, dbUser, dbName } }),
  );
  await writeOwn(files.key, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  await writeOwn(files.certificate, made.certificate);
  // Whom this command believed, programs believe too.
  await writeOwn(files.roots, getCACertificates('default').join('\n'));
  // Where this command found the gateway, programs do.
  const { hostname, port } = new URL(origin);
  const service = {
    ...{ host: hostname, port: port || '443', dbname: made.dbName, user: made.dbUser, sslmode: 'verify-full' },
    ...{ sslrootcert: files.roots, sslcert: files.certificate, sslkey: files.key, gssencmode: 'disable' },
  };
  await changeServices(io, name, (text) => withService(text, name, service), true);
  const told = `certificate for '${printable(name)}' good until ${made.expires}, as long as you are signed in\nConnect with: psql service=${printable(name)}\n`;
  print(io, options.format, { name, ...service, expires: made.expires }, told);
}

async function logout(io: Io, name: string, options: LoginOptions): Promise<void> {
  // Also for who is signed in no more.
  const origin = options.gateway === undefined ? remoteGateway(io, undefined).origin : parseOrigin(options.gateway);
  const { key, certificate } = filesFor(io, origin, name);
  await changeServices(io, name, (text) => withoutService(text, name), true);
  await Promise.all([key, certificate].map((file) => rm(file, { force: true })));
  print(io, options.format, { name }, `certificate for '${printable(name)}' deleted\n`);
}

const homeOf = ({ env }: Io) => env.HOME || homedir();

function filesFor(io: Io, origin: string, name: string) {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Failure('usage', `'${printable(name)}' is no name of a database`);
  const base = io.env.XDG_CONFIG_HOME || join(homeOf(io), '.config');
  const folder = join(base, 'gatehouse', 'db', new URL(origin).host.replaceAll(/[^a-z0-9.-]/g, '_'));
  return {
    key: join(folder, `${name}.key`),
    certificate: join(folder, `${name}.crt`),
    roots: join(folder, 'roots.pem'),
  };
}

async function changeServices(io: Io, name: string, change: (text: string) => string, write: boolean): Promise<void> {
  const file = await behindLink(io.env.PGSERVICEFILE || join(homeOf(io), '.pg_service.conf'));
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new Failure('usage', `'${file}' cannot be read: ${error.message}`);
  });
  try {
    const after = change(before);
    if (write && after !== before) await writeOwn(file, after);
  } catch (error) {
    if (!(error instanceof ForeignService)) throw error;
    throw new Failure('usage', `'${file}' has a service '${printable(name)}' of your own: rename that one first`);
  }
}
