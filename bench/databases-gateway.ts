/** The gateway that databases.bench.ts measures, in a process of its own: TLS, one database, one person who may use it. Tells its port and their token. */
import { readFileSync } from 'node:fs';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { insertLock } from '@gatehouse/gateway/access/lock-store';
import { insertRole } from '@gatehouse/gateway/access/role-store';
import { composedGateway } from './composed-gateway.ts';

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
const send: Send = async ({ method, url, body }) => {
  const csrf = 'c'.repeat(64);
  const reply = await gateway.app.inject({
    method: method as 'GET',
    url,
    headers: {
      host: `localhost:${port}`,
      // Asked in this process, where no TLS is.
      origin: `http://localhost:${port}`,
      'user-agent': USER_AGENT,
      'x-csrf-token': csrf,
      cookie: `session=${cookie}; grv_csrf=${csrf}`,
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: reply.statusCode, text: reply.body };
};

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
    globalThis.gc?.();
    const used = Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
    process.send?.({ type: 'memory', kilobytes: used });
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
