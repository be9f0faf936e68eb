/** A gateway with TLS and a real PostgreSQL behind it, and what somebody's programs show at its public port, for tests. */
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
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

export async function startNativeWorld(postgres: SecurePostgres): Promise<NativeWorld> {
  const { ca, server } = await makeTestAuthority();
  const gateway = await startIdentityGateway({ secure: { host: 'localhost', ...server } });
  // TLS looks at the clock of the machine.
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const names = `db_users: [by_scram, by_md5], db_names: [${postgres.database}]`;
  await makeRole(admin, 'dev', `{allow: {db_labels: {env: dev}, ${names}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  const ann = await gateway.signedIn('ann');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  for (const name of ['shop', 'other']) {
    const body = {
      ...{ name, protocol: 'postgres' as const, uri: `localhost:${postgres.port}`, signIn: 'password' as const },
      ...{ tls: { ca: postgres.ca }, database: postgres.database, labels: [{ name: 'env', value: 'dev' }] },
    };
    await call(admin.send, databaseRoutes.add, { params: CLUSTER, body });
    const params = { ...CLUSTER, name, dbUser: 'by_scram' };
    await call(admin.send, databaseRoutes.setSecret, { params, body: { password: PASSWORD } });
  }
  return {
    ...{ gateway, admin, ann, ca },
    port: (gateway.app.server.address() as AddressInfo).port,
    async certify(who, { dbUser = 'by_scram', name = 'shop' } = {}) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
      const { certificate } = await call(who.send, dbTrustRoutes.certify, {
        params: { ...CLUSTER, name },
        body: { publicKey: pem, dbUser },
      });
      return { cert: certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
    },
  };
}
