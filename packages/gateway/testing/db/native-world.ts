/** A gateway with TLS and databases behind it, and what somebody's programs show at its public port, for tests. */
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { makeRole } from '../apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';
import { PASSWORD, type SecurePostgres } from './secure-postgres.ts';
import { makeTestAuthority } from './test-authority.ts';

const CLUSTER = { clusterId: 'localhost' };

export interface ClientPair {
  cert: string;
  key: string;
}

export interface NativeWorld {
  gateway: IdentityGateway;
  admin: TestBrowser;
  ann: TestBrowser;
  port: number;
  /** Of the gateway's own certificate. */
  ca: string;
  certify(who: TestBrowser, wanted?: { dbUser?: string; name?: string }): Promise<ClientPair>;
}

export interface NativeDb {
  name: string;
  protocol: DbProtocol;
  port: number;
  ca: string;
  database: string;
  /** All of them have the password; the first is used unless told. */
  dbUsers: readonly string[];
  password: string;
  /** Of the label `env`; ann sees those of `dev`. */
  env?: string;
}

export async function startNativeWorld(
  { port, ca, database }: SecurePostgres,
  options: Parameters<typeof startIdentityGateway>[0] = {},
): Promise<NativeWorld> {
  const dbUsers = ['by_scram', 'by_md5'];
  const db = { protocol: 'postgres', port, ca, database, dbUsers, password: PASSWORD } as const;
  return await startNativeWorldOf(
    ['shop', 'other'].map((name) => ({ name, ...db })),
    options,
  );
}

export async function startNativeWorldOf(
  dbs: readonly NativeDb[],
  options: Parameters<typeof startIdentityGateway>[0] = {},
): Promise<NativeWorld> {
  const { ca, server } = await makeTestAuthority();
  const gateway = await startIdentityGateway({ secure: { host: 'localhost', ...server }, ...options });
  // TLS looks at the clock of the machine.
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const listed = (names: readonly string[]) => [...new Set(names)].map((name) => `'${name}'`).join(', ');
  const users = listed(dbs.flatMap(({ dbUsers }) => dbUsers));
  const names = listed(dbs.map(({ database }) => database));
  await makeRole(admin, 'dev', `{allow: {db_labels: {env: dev}, db_users: [${users}], db_names: [${names}]}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  const ann = await gateway.signedIn('ann');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  for (const { name, protocol, port, database, dbUsers, password, env = 'dev', ...db } of dbs) {
    const body = {
      ...{ name, protocol, uri: `localhost:${port}`, signIn: 'password' as const },
      ...{ tls: { ca: db.ca }, database, labels: [{ name: 'env', value: env }] },
    };
    await call(admin.send, databaseRoutes.add, { params: CLUSTER, body });
    for (const dbUser of dbUsers)
      await call(admin.send, databaseRoutes.setSecret, { params: { ...CLUSTER, name, dbUser }, body: { password } });
  }
  return {
    ...{ gateway, admin, ann, ca },
    port: (gateway.app.server.address() as AddressInfo).port,
    async certify(who, { name = dbs[0]?.name ?? '', dbUser } = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
      const usual = dbs.find((db) => db.name === name) ?? dbs[0];
      const { certificate } = await call(who.send, dbTrustRoutes.certify, {
        params: { ...CLUSTER, name },
        body: { publicKey: pem, dbUser: dbUser ?? usual?.dbUsers[0] ?? '' },
      });
      return { cert: certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
    },
  };
}
