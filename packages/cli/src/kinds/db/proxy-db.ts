/** A database as programs on this machine reach it: without a password, under the user's own sign-in. */
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { CURRENT } from '../../gateway/resolve-gateway.ts';
import type { KindProxy, OwnGateway, Proxied } from '../../proxy/kind-proxy.ts';
import type { ListenAddress, SocketPath } from '../../proxy/listen-address.ts';
import type { LocalListener } from '../../proxy/serve-local.ts';
import { onlyOne } from './only-one.ts';

export interface DbChoice {
  dbUser?: string;
  dbName?: string;
}

export const dbProxy: KindProxy = {
  summary:
    'Listen on this machine and carry every connection to a database, as yourself and without a password, until you stop it with Ctrl-C.',
  example: 'shop --db-user app --db-name shop',
  addFlags: (command) =>
    command
      .option('--db-user <name>', 'the user of the database; the only one you may use unless told')
      .option('--db-name <name>', 'the database; its default unless told')
      .option('--tunnel', 'carry connections through the gateway, which is what it does'),
  find: (name, mine, options) => findDb(name, mine, options as DbChoice),
};

/** A database with what was chosen of it; led to from a port, or from a socket in a folder of one's own. */
export interface ProxiedDb extends Proxied {
  protocol: DbProtocol;
  dbUser: string;
  dbName: string;
  serve(listen: ListenAddress | SocketPath, onFailure: (error: unknown) => void): Promise<LocalListener>;
}

export async function findDb(name: string, mine: OwnGateway, options: DbChoice): Promise<ProxiedDb> {
  const [{ call }, { DB_TCP_SOCKET, databaseRoutes }, { createSecondFactor }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/kinds/db/databases'),
    import('../../input/second-factor.ts'),
  ]);
  const params = { ...CURRENT, name };
  const db = await call(mine.send(), databaseRoutes.get, { params });
  const dbUser = options.dbUser ?? onlyOne(db.database_users ?? [], 'user', '--db-user');
  const usual = db.gatehouse?.database || (db.protocol === 'redis' ? '0' : '');
  const dbName = options.dbName ?? (usual || onlyOne(db.database_names ?? [], 'database', '--db-name'));
  const query = { dbUser, dbName };
  const factor = createSecondFactor({
    ...{ io: mine.io, send: mine.send, what: db.name, inBrowser: '', signal: mine.signal },
    needed: 'a role of yours asks for a second factor for each session',
  });

  return {
    ...{ name: db.name, protocol: db.protocol, dbUser, dbName },
    async serve(listen, onFailure) {
      const [{ openTcpStream }, { serveTcp }, { readFirstWords }] = await Promise.all([
        import('@gatehouse/tunnel/sessions/tcp-stream'),
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
      const open = (pass: string) =>
        openTcpStream({ origin, token: mine.credential(), door: DB_TCP_SOCKET, ...params, query, userAgent, pass });
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
      return serveTcp({ listen, newPass, open, onFailure, ...hearing });
    },
    at: (address) => `${address} (database ${dbName}, as ${dbUser})`,
  };
}
