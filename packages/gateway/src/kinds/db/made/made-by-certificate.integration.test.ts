/** Users that are made on the fly where the gateway signs in by certificate, the admin user too. */
import { generateKeyPairSync } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { startMariadb } from '@gatehouse/testkit/mariadb';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { CLUSTER } from '../../../../testing/db/db-world.ts';
import { EditorPage } from '../../../../testing/db/editor-page.ts';
import { asOwner, stateOf } from '../../../../testing/db/made-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

/** With what certificates and statements write otherwise. */
const WHO = "zoë o'neil";
let gateway: IdentityGateway;
let admin: TestBrowser;
let files: Record<'server.key' | 'server.crt' | 'server.cas', string>;
let origin: string;

beforeAll(async () => {
  gateway = await startIdentityGateway();
  // Servers look at their own clocks.
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { certificate, authorities } = await call(admin.send, dbTrustRoutes.sign, {
    params: CLUSTER,
    body: { hosts: ['localhost'], publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString() },
  });
  files = {
    'server.key': privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    'server.crt': certificate,
    'server.cas': authorities,
  };
  const spec = { db_labels: { '*': '*' }, db_users: [WHO], db_names: ['*'], db_roles: ['reader'] };
  await makeRole(admin, 'makes', `{allow: ${JSON.stringify(spec)}, options: {create_db_user_mode: keep}}`);
  await gateway.addUser(WHO, { roles: ['makes'] });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
});
afterAll(() => gateway?.close());

async function opened(name: string): Promise<EditorPage> {
  const page = new EditorPage({ origin, who: await gateway.signedIn(WHO), name, dbUser: WHO });
  await page.next('ready');
  return page;
}

test('PostgreSQL', async () => {
  const write = ([name, text]: [string, string]) => `umask 077; cat > ${name} <<'END'\n${text}END\n`;
  const rules = 'hostnossl all gatehouse 127.0.0.1/32 trust\\nhostssl all all 127.0.0.1/32 cert\\n';
  const server = await startPostgres({
    prepare: [...Object.entries(files).map(write), `printf '${rules}' > pg_hba.conf`].join('\n'),
    settings: ['ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key', 'ssl_ca_file=server.cas'],
  });
  onTestFinished(() => server.stop());
  await asOwner(
    server.url,
    'create role maker login createrole; create role reader; grant reader to maker with admin option',
  );
  const body = { name: 'shop', protocol: 'postgres' as const, uri: `localhost:${server.port}`, database: 'postgres' };
  await call(admin.send, databaseRoutes.add, { params: CLUSTER, body: { ...body, adminUser: { name: 'maker' } } });

  const page = await opened('shop');
  expect((await page.run('select session_user')).rows).toEqual([[WHO]]);
  expect(await stateOf(server, WHO)).toEqual({ login: true, roles: ['reader'], open: false });
  page.socket.close();
  await expect.poll(() => stateOf(server, WHO)).toEqual({ login: false, roles: [], open: false });
});

test('MariaDB, where the certificate must be of that very person', async () => {
  const server = await startMariadb({
    files,
    settings: ['--ssl-cert=FOLDER/server.crt', '--ssl-key=FOLDER/server.key', '--ssl-ca=FOLDER/server.cas'],
    statements: `create role reader; create user maker@'%' require subject '/O=localhost/CN=maker';
      create database shop; grant select on shop.* to reader;
      grant create user, process on *.* to maker@'%'; grant select on mysql.user to maker@'%';
      grant select on mysql.roles_mapping to maker@'%'; grant reader to maker@'%' with admin option;`,
  });
  onTestFinished(() => server.stop());
  const body = { name: 'orders', protocol: 'mysql' as const, uri: `localhost:${server.port}`, database: 'shop' };
  await call(admin.send, databaseRoutes.add, { params: CLUSTER, body: { ...body, adminUser: { name: 'maker' } } });

  const page = await opened('orders');
  expect((await page.run('select current_user()')).rows).toEqual([[`${WHO}@%`]]);
  page.socket.close();
  const codes = async () => (await gateway.events()).map(({ code }) => code);
  await expect.poll(async () => (await codes()).filter((code) => code === 'GH392I').length).toBe(2);
});
