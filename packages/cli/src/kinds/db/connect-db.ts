/** `gatehouse db connect`, `env` and `config`: a database for the programs that people have. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, Option } from 'commander';
import { type addCommand, type Format, type Io, print } from '../../command.ts';
import { remoteGateway } from '../../gateway/remote-gateway.ts';
import { shellQuoted } from '../../output/shell-quoted.ts';
import { ANY_LOCAL_PORT, type ListenAddress, listenAddress } from '../../proxy/listen-address.ts';
import { ownGateway, tellFailures } from '../../proxy/own-gateway.ts';
import { Failure, ProgramEnded } from '../../runtime/failure.ts';
import { DB_CLIENTS, type DbClient } from './db-clients.ts';
import { NATIVE_CLIENTS, type NativeLogin, readLogin } from './native-login.ts';
import { type DbChoice, findDb, type ProxiedDb } from './proxy-db.ts';

interface Options extends DbChoice {
  format: Format;
  gateway?: string;
  /** A leaf of it. */
  cluster?: string;
}
interface Listening {
  listen?: ListenAddress;
}
type AddCommand = (facts: Parameters<typeof addCommand>[1]) => Command;

const GATEWAY_WORDS = 'the gateway, under your own sign-in; the one you signed in to last unless told';

export function addConnectCommands(add: AddCommand, io: Io): void {
  const chosen = (command: Command) =>
    command
      .option('--db-user <name>', 'the user of the database; the only one you may use unless told')
      .option('--db-name <name>', 'the database; its default unless told')
      .option('--gateway <address>', GATEWAY_WORDS)
      .option('--cluster <name>', 'a leaf cluster of that gateway; its own unless told');
  const listening = (command: Command) =>
    chosen(command).addOption(
      new Option(
        '--listen <address>',
        'where gatehouse proxy db listens, like 127.0.0.1:5432; without it, straight to the gateway as gatehouse db login has it',
      ).argParser(listenAddress),
    );

  chosen(
    add({
      name: 'connect <name> [arguments...]',
      summary:
        'Start psql, mariadb, redis-cli or mongosh on a database, without a password, and end as it ends. What stands behind -- goes to the program.',
      examples: [
        'gatehouse db connect shop --db-user app --db-name shop',
        "gatehouse db connect shop --db-user app -- -c 'select 1'",
      ],
    }),
  ).action((name: string, args: string[], options: Options) => connect(io, name, args, options));

  listening(
    add({
      name: 'env <name>',
      summary:
        'Print the variables by which programs find a database that gatehouse proxy db leads to, or after gatehouse db login the gateway itself.',
      examples: [
        'eval "$(gatehouse db env shop --db-user app --listen 127.0.0.1:5432)"',
        'eval "$(gatehouse db env shop)"',
      ],
    }),
  ).action(async (name: string, options: Options & Listening) => {
    const variables = await variablesOf(io, name, options);
    const lines = Object.entries(variables).map(([key, value]) => `export ${key}=${shellQuoted(value)}\n`);
    print(io, options.format, variables, lines.join(''));
  });

  listening(
    add({
      name: 'config <name>',
      summary:
        'Print what programs with windows ask for, to reach a database that gatehouse proxy db leads to, or after gatehouse db login the gateway itself.',
      examples: [
        'gatehouse db config shop --db-user app --listen 127.0.0.1:5432',
        'gatehouse db config shop --listen 5432 --format json',
      ],
    }),
  ).action(async (name: string, options: Options & Listening) => {
    const { listen } = options;
    if (!listen) return await tellNative(io, name, options);
    const { client, db, host, port } = await reached(io, name, { ...options, listen });
    const { dbUser: user, dbName: database, protocol } = db;
    const proxy = [
      'gatehouse',
      'proxy',
      'db',
      shellQuoted(db.name),
      '--db-user',
      shellQuoted(user),
      '--db-name',
      shellQuoted(database),
      ...(options.cluster === undefined ? [] : ['--cluster', shellQuoted(options.cluster)]),
    ];
    const command = [...proxy, '--listen', `${host}:${port}`].join(' ');
    const config = { name: db.name, protocol, host, port: Number(port), user, database };
    const address = client.address(host, port, db);
    const rows = [
      ...[`Host      ${host}`, `Port      ${port}`, `User      ${printable(user)}`, `Database  ${printable(database)}`],
      ...['Password  none: leave it empty', 'TLS       off: it is encrypted from here to the gateway'],
      ...[`Address   ${printable(address)}`, '', `Leave this running: ${printable(command)}`],
    ];
    print(io, options.format, { ...config, password: '', tls: false, address, command }, `${rows.join('\n')}\n`);
  });
}

async function variablesOf(io: Io, name: string, options: Options & Listening): Promise<Record<string, string>> {
  const { listen } = options;
  if (listen) {
    const { client, db, host, port } = await reached(io, name, { ...options, listen });
    return client.variables(host, port, db);
  }
  const login = await loginOf(io, name, options);
  const variables = NATIVE_CLIENTS[login.protocol].variables(login);
  if (Object.keys(variables).length > 0) return variables;
  throw new Failure(
    'usage',
    `no program of '${login.protocol}' takes variables to come to the gateway: gatehouse db config ${printable(name)}`,
  );
}

async function loginOf(io: Io, name: string, { gateway, cluster }: Options): Promise<NativeLogin> {
  return await readLogin(io, remoteGateway(io, gateway).origin, { name, cluster });
}

/** As `db login` has left it: the gateway is asked nothing. */
async function tellNative(io: Io, name: string, options: Options): Promise<void> {
  const login = await loginOf(io, name, options);
  const client = NATIVE_CLIENTS[login.protocol];
  const { protocol, host, port, user, database, serverName, roots, certificate, key, expires } = login;
  const isNamed = protocol === 'redis' || protocol === 'mongodb';
  const [address, command, note] = [client.address(login), client.command(login), client.note?.(login)];
  const rows = [
    ...[`Host         ${host}`, `Port         ${port}`, `User         ${printable(user)}`],
    ...[`Database     ${printable(database)}`, 'Password     none: leave it empty'],
    ...(isNamed ? [`Server name  ${serverName}, as its TLS must name it`] : []),
    ...[`Authorities  ${printable(roots)}`, `Certificate  ${printable(certificate)}`, `Key          ${printable(key)}`],
    ...(address === '' ? [] : [`Address      ${printable(address)}`]),
    ...[`Good until   ${expires}, as long as you are signed in`, ''],
    ...(command === '' ? [] : [`On a command line: ${printable(command)}`]),
    ...(note === undefined ? [] : [`Mind: ${printable(note)}`]),
  ];
  const config = {
    ...{ name, protocol, host, port, user, database, password: '', tls: true, address, command },
    expires,
  };
  const files = { ...{ roots, certificate, key }, ...(isNamed ? { serverName } : {}) };
  print(io, options.format, { ...config, ...files }, `${rows.join('\n')}\n`);
}

async function reached(io: Io, name: string, options: Options & { listen: ListenAddress }) {
  const mine = await ownGateway(io, options, new AbortController().signal);
  const db = await findDb(name, mine, options);
  return { db, client: DB_CLIENTS[db.protocol], host: options.listen.host, port: String(options.listen.port) };
}

/** The folder is this user's alone, and gone afterwards. */
async function connect(io: Io, name: string, args: readonly string[], options: Options): Promise<void> {
  const over = new AbortController();
  const mine = await ownGateway(io, options, over.signal);
  const db = await findDb(name, mine, options);
  const client = DB_CLIENTS[db.protocol];
  const program = client.programs.find((each) => isInstalled(each, io.env.PATH ?? ''));
  if (!program)
    throw new Failure('failed', `${client.programs.join(' or ')} is not installed here: ${client.from} has it`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-db-'));
  try {
    const { listener, leading } = await listen(io, db, client, folder);
    // The program decides what Ctrl-C means, and is in the same group as this one.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    const child = spawn(program, [...leading, ...args], { stdio: 'inherit' });
    const end = (signal: NodeJS.Signals) => child.kill(signal);
    process.on('SIGTERM', end);
    const status = await statusOf(child);
    process.off('SIGINT', ignore);
    process.off('SIGTERM', end);
    over.abort();
    await listener.close();
    if (status !== 0) throw new ProgramEnded(status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** At a socket, or for programs that know none at a port for as long as they run. */
async function listen(io: Io, db: ProxiedDb, { socket, byPort }: DbClient, folder: string) {
  const tell = tellFailures(db.name, io.stderr);
  if (socket)
    return {
      listener: await db.serve({ path: join(folder, socket.file) }, tell),
      leading: socket.leading(folder, db),
    };
  const listener = await db.serve(ANY_LOCAL_PORT, tell);
  io.stderr(`warning: while it runs, others on this machine reach ${listener.address} and come through as you\n`);
  return { listener, leading: byPort?.(ANY_LOCAL_PORT.host, listener.address.split(':').at(-1) ?? '', db) ?? [] };
}

function statusOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Failure('failed', error.message)));
    // As a shell says it of a program that a signal ended.
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGTERM' ? 143 : 130)));
  });
}

function isInstalled(program: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
