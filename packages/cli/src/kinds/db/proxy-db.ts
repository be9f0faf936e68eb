/** A database as programs on this machine reach it: without a password, under the user's own sign-in. */
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { printable } from '@gatehouse/contract/std/printable';
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import { shellQuoted } from '../../output/shell-quoted.ts';
import type { KindProxy, OwnGateway, OwnSocket, Proxied } from '../../proxy/kind-proxy.ts';
import type { ListenAddress, SocketPath } from '../../proxy/listen-address.ts';
import type { LocalListener } from '../../proxy/serve-local.ts';
import { Failure } from '../../runtime/failure.ts';
import { DB_CLIENTS, type ReachedDb } from './db-clients.ts';
import { notOneOf, onlyOne } from './only-one.ts';
import { refusalWords } from './refusal-words.ts';

export interface DbChoice {
  dbUser?: string;
  dbName?: string;
}

export const dbProxy: KindProxy = {
  summary:
    'Listen on this machine and carry every connection to a database, as yourself and without a password, until you stop it with Ctrl-C.',
  example: 'shop --db-user app --db-name shop',
  unlessTold: 'a socket that only you can open',
  addFlags: (command) =>
    command
      .option('--db-user <name>', 'the user of the database; the only one you may use unless told')
      .option('--db-name <name>', 'the database; its default unless told')
      .option('--all', 'every database that you may use, each at a socket of its own')
      .option('--tunnel', 'carry connections through the gateway, which is what it does'),
  find: (name, mine, options) => findDb(name, mine, options as DbChoice),
  findAll: (mine, options) => findDbs(mine, options as DbChoice),
};

const MAX_LISTED = 1000;

/** A database of which one must choose a user or a name is told of and left out: the others are of use all the same. */
async function findDbs(mine: OwnGateway, options: DbChoice): Promise<ProxiedDb[]> {
  const [{ call }, { databaseRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/kinds/db/databases'),
  ]);
  const query = { limit: String(MAX_LISTED), sort: 'name:asc' };
  const { items, totalCount } = await call(mine.send(), databaseRoutes.list, { params: mine.at, query });
  const { stderr } = mine.io;
  if (totalCount > items.length) stderr(`warning: ${totalCount - items.length} more are left out\n`);
  const found: ProxiedDb[] = [];
  for (const { name } of items) {
    try {
      found.push(await findDb(name, mine, options));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      stderr(`warning: '${printable(name)}' is left out: ${printable(error.message)}\n`);
    }
  }
  return found;
}

/** A database with what was chosen of it; led to from a port, or from a socket in a folder of one's own. */
export interface ProxiedDb extends Proxied {
  protocol: DbProtocol;
  dbUser: string;
  dbName: string;
  serve(listen: ListenAddress | SocketPath, onFailure: (error: unknown) => void): Promise<LocalListener>;
}

export async function findDb(name: string, mine: OwnGateway, options: DbChoice): Promise<ProxiedDb> {
  const [{ call }, { usualDatabase }, { DB_STREAM, DB_TCP_SOCKET, databaseRoutes }, { createSecondFactor }] =
    await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/kinds/db/db-address'),
      import('@gatehouse/contract/kinds/db/databases'),
      import('../../input/second-factor.ts'),
    ]);
  const params = { ...mine.at, name };
  const db = await call(mine.send(), databaseRoutes.get, { params });
  const dbUser = options.dbUser ?? onlyOne(db.database_users ?? [], 'user', '--db-user');
  const usual = usualDatabase(db.protocol, db.gatehouse?.database);
  const dbName = options.dbName ?? (usual || onlyOne(db.database_names ?? [], 'database', '--db-name'));
  for (const wrong of [
    notOneOf(db.database_users ?? [], dbUser, 'user'),
    // Without a name it is the server's default.
    dbName === '' ? undefined : notOneOf(db.database_names ?? [], dbName, 'database'),
  ])
    if (wrong !== undefined) mine.io.stderr(`warning: ${printable(wrong)}\n`);
  const query = { dbUser, dbName };
  const factor = createSecondFactor({
    ...{ io: mine.io, send: mine.send, what: db.name, inBrowser: '', signal: mine.signal },
    needed: 'a role of yours asks for a second factor for each session',
  });

  const serve = async (listen: ListenAddress | SocketPath, onFailure: (error: unknown) => void) => {
    const [{ openTcpStream }, { openStraightStream }, { serveTcp }, { readFirstWords }] = await Promise.all([
      import('@gatehouse/tunnel/sessions/tcp-stream'),
      import('@gatehouse/tunnel/sessions/straight-stream'),
      import('../../proxy/serve-tcp.ts'),
      import('./first-bytes.ts'),
    ]);
    const newPass = async () =>
      (
        await factor.with((given) =>
          call(mine.send(), databaseRoutes.pass, { params, body: { factor: given, ...query } }),
        )
      ).pass;
    const { origin, userAgent } = mine;
    // Another cluster is reached by websockets alone.
    let isStraight = params.clusterId === CURRENT.clusterId;
    const open = async (pass: string) => {
      const wanted = { origin, token: mine.credential(), ...params, query, userAgent, pass };
      const straight = isStraight ? await openStraightStream({ ...wanted, door: DB_STREAM }) : undefined;
      if (straight) return straight;
      const framed = await openTcpStream({ ...wanted, door: DB_TCP_SOCKET });
      // Whoever stands between will do so the next time as well.
      isStraight = false;
      return framed;
    };
    const begin = async (socket: Socket, dial: () => Promise<Duplex>): Promise<Duplex> => {
      const first = await readFirstWords(socket);
      if (first.wants === 'session') {
        const far = await dial();
        far.write(first.bytes);
        return far;
      }
      await call(mine.send(), databaseRoutes.cancel, { params, body: { key: first.key.toString('hex') } });
      // Nothing is said to who cancels.
      const [near, far] = duplexPair();
      far.end();
      far.resume();
      return near;
    };
    // Of the others, none cancels before it has said anything, and some wait for the server to speak first.
    const hearing = db.protocol === 'postgres' ? { begin } : {};
    const refusal = (error: unknown) => refusalWords(db.protocol, error);
    return serveTcp({ listen, newPass, open, onFailure, refusal, ...hearing });
  };
  const chosen = { dbUser, dbName };
  return {
    ...{ name: db.name, protocol: db.protocol, ...chosen, serve },
    ...socketOf(db.protocol, chosen, serve),
    at: (address) => `${address} (database ${dbName}, as ${dbUser})`,
  };
}

function socketOf(protocol: DbProtocol, chosen: ReachedDb, serve: OwnSocket['serve']): { socket?: OwnSocket } {
  const { programs, socket } = DB_CLIENTS[protocol];
  if (!socket) return {};
  const command = (folder: string) =>
    [...programs.slice(0, 1), ...socket.leading(folder, chosen)].map(shellQuoted).join(' ');
  return { socket: { choice: [chosen.dbUser, chosen.dbName], file: socket.file, serve, command } };
}
