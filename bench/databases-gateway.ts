/** The gateway that databases.bench.ts measures, in a process of its own: TLS, one database, one person who may use it. Tells its port and their token. */
import { readFileSync } from 'node:fs';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { insertLock } from '@gatehouse/gateway/access/lock-store';
import { insertRole } from '@gatehouse/gateway/access/role-store';
import { composedGateway } from './composed-gateway.ts';
import { ownKilobytes } from './own-memory.ts';

const CLUSTER = 'bench';
const USER_AGENT = 'gatehouse-bench';
const setting = (name: string) => process.env[`BENCH_${name}`] ?? '';

const tls = { cert: readFileSync(setting('CERT')), key: readFileSync(setting('KEY')) };
const gateway = await composedGateway({ clusterName: CLUSTER, tls, isRecording: true });
const spec = "{allow: {db_labels: {'*': '*'}, db_users: ['*'], db_names: ['*']}}";
const content = `kind: role\nversion: v6\nmetadata: {name: bench}\nspec: ${spec}\n`;
await gateway.db
  .transaction()
  .execute((tx) => insertRole(tx, { name: 'bench', content, by: 'bench', now: gateway.now() }));
const { cookie, bearer } = await gateway.addUser(['editor', 'bench'], USER_AGENT);
const port = await gateway.listen();
const send = gateway.sendAs({ cookie, bearer }, USER_AGENT);

const params = { clusterId: CLUSTER };
await call(send, databaseRoutes.add, {
  params,
  body: {
    ...{ name: 'shop', protocol: 'postgres', uri: setting('URI'), signIn: 'password', database: setting('DATABASE') },
    tls: { ca: readFileSync(setting('CA'), 'utf8') },
  },
});
await call(send, databaseRoutes.setSecret, {
  params: { ...params, name: 'shop', dbUser: setting('USER') },
  body: { password: setting('PASSWORD') },
});
const { token } = await call(send, apiTokenRoutes.create, { body: { name: 'bench', scope: 'all' } });
const { certificate } = await call(send, dbTrustRoutes.certify, {
  params: { ...params, name: 'shop' },
  body: { publicKey: setting('PUBLIC_KEY'), dbUser: setting('USER') },
});
process.on('message', (message) => void take(message as string));
process.send?.({ type: 'ready', port, token, certificate, cookie, bearer });

async function take(message: string): Promise<void> {
  if (message === 'memory') {
    process.send?.({ type: 'memory', kilobytes: ownKilobytes() });
  }
  if (message === 'processor') {
    const { user, system } = process.cpuUsage();
    process.send?.({ type: 'processor', microseconds: user + system });
  }
  if (message === 'lock') {
    const lock = { target: { kind: 'role' as const, name: 'bench' }, message: '', createdBy: 'bench' };
    await gateway.db
      .transaction()
      .execute((tx) => insertLock(tx, { ...lock, created: gateway.now(), expires: undefined }));
    process.send?.({ type: 'lock' });
  }
  if (message === 'stop') process.exit(0);
}
