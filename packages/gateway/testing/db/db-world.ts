/** A gateway with a real database behind it, and a local port to it as somebody, for tests. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { DB_TCP_SOCKET, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { call } from '@gatehouse/contract/wire/client';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { makeRole } from '../apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';
import { PASSWORD, type SecurePostgres } from './secure-postgres.ts';

export const CLUSTER = { clusterId: 'localhost' };

export interface DbWorld {
  gateway: IdentityGateway;
  admin: TestBrowser;
  ann: TestBrowser;
  origin: string;
  /** A port of this machine that leads to the database `shop`, as ann. */
  tunnel(route?: { dbUser?: string; dbName?: string }): Promise<DbTunnel>;
  close(): Promise<void>;
}

export interface DbTunnel {
  port: number;
  /** Why connections did not come about. */
  failures: Error[];
}

export interface WorldDatabase {
  protocol: DbProtocol;
  port: number;
  ca: string;
  /** The default; `dbNames` are what the role gives. */
  database: string;
  dbNames: readonly string[];
  /** All of them have the password. */
  dbUsers: readonly string[];
  password: string;
}

export async function startDbWorld(
  { port, ca, database }: SecurePostgres,
  options: DbWorldOptions = {},
): Promise<DbWorld> {
  const dbUsers = ['by_scram', 'by_md5'];
  const db = { protocol: 'postgres', port, ca, database, dbNames: [database], dbUsers, password: PASSWORD } as const;
  return await startDbWorldOf(db, options);
}

/** With a folder, sessions are recorded into it. */
export type DbWorldOptions = Pick<
  NonNullable<Parameters<typeof startIdentityGateway>[0]>,
  'dataDir' | 'recordings' | 'shared' | 'secondFactor'
>;

export async function startDbWorldOf(db: WorldDatabase, options: DbWorldOptions = {}): Promise<DbWorld> {
  const gateway = await startIdentityGateway(options);
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const names = `db_users: [${db.dbUsers.join(', ')}], db_names: [${db.dbNames.map((name) => `'${name}'`).join(', ')}]`;
  const rules = 'rules: [{resources: [db_server], verbs: [list, read]}]';
  await makeRole(admin, 'dev', `{allow: {db_labels: {env: dev}, ${names}, ${rules}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  const ann = await gateway.signedIn('ann');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
  const body = {
    ...{ name: 'shop', protocol: db.protocol, uri: `localhost:${db.port}`, signIn: 'password' as const },
    ...{ tls: { ca: db.ca }, database: db.database, labels: [{ name: 'env', value: 'dev' }] },
  };
  await call(admin.send, databaseRoutes.add, { params: CLUSTER, body });
  for (const dbUser of db.dbUsers)
    await call(admin.send, databaseRoutes.setSecret, {
      params: { ...CLUSTER, name: 'shop', dbUser },
      body: { password: db.password },
    });
  const token = await commandLineOf(gateway, ann);
  const servers: { close(): void }[] = [];

  return {
    gateway,
    admin,
    ann,
    origin,
    async tunnel({ dbUser = db.dbUsers[0] ?? '', dbName = '' } = {}) {
      const failures: Error[] = [];
      const sockets = new Set<Socket>();
      const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        const query = { dbUser, dbName };
        openTcpStream({ origin, token, door: DB_TCP_SOCKET, ...CLUSTER, name: 'shop', query, userAgent: 'test' }).then(
          (far) => {
            far.on('error', () => socket.destroy());
            socket.on('close', () => far.destroy());
            socket.pipe(far).pipe(socket);
          },
          (error: Error) => {
            failures.push(error);
            socket.destroy();
          },
        );
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      servers.push({
        close() {
          for (const socket of sockets) socket.destroy();
          server.close();
        },
      });
      return { port: (server.address() as AddressInfo).port, failures };
    },
    async close() {
      for (const server of servers) server.close();
      await gateway.close();
    },
  };
}

async function commandLineOf(gateway: IdentityGateway, who: TestBrowser): Promise<string> {
  const { requestId, secret } = await call(gateway.send, cliLoginRoutes.begin, { body: { client: 'test' } });
  const params = { requestId };
  await call(who.send, cliLoginRoutes.answer, { params, body: { action: 'accept' } });
  const { token = '' } = await call(gateway.send, cliLoginRoutes.poll, { params, body: { secret } });
  return token;
}
