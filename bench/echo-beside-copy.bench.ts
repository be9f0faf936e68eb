/** The echo of a key while somebody copies a table of a million rows out of a database through the same gateway: people at a terminal must not notice. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { signInToProcess } from '@gatehouse/gateway/testing/sessions/process-people';
import type { Tab } from '@gatehouse/gateway/testing/sessions/terminal-client';
import { cleanEnvironment, ended, ROOT } from '@gatehouse/testkit/gateway-process';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { atPrompt, echoes, gatewayLine, type Line, sshLine } from './terminal-line.ts';
import { OPENSSH, startTarget, startWorld } from './terminal-world.ts';

const run = promisify(execFile);
const KEYS = 400;
const ROWS = 1_000_000;
const LIMIT_MS = 20;
const USER = 'by_scram';
const params = { clusterId: 'localhost' };

const users = await makeOsUsers(1);
const login = users.names[0] as string;
const target = await startTarget(login);
const postgres = await startSecurePostgres();
const world = await startWorld({ target, login });
const owner = localSend(world.gateway.dataDir);
const spec = "{allow: {db_labels: {'*': '*'}, db_users: ['*'], db_names: ['*']}}";
const content = `kind: role\nversion: v6\nmetadata: {name: dbs}\nspec: ${spec}\n`;
await call(owner, roleRoutes.create, { body: { content } });
await call(owner, databaseRoutes.add, {
  params,
  body: {
    ...{ name: 'shop', protocol: 'postgres', uri: `localhost:${postgres.port}`, signIn: 'password' },
    ...{ database: postgres.database, tls: { ca: postgres.ca } },
  },
});
await call(owner, databaseRoutes.setSecret, {
  params: { ...params, name: 'shop', dbUser: USER },
  body: { password: PASSWORD },
});
const bob = asPage(world.gateway.origin, await signInToProcess(world.gateway, 'bob', 'dbs'));
const { token } = await call(bob, apiTokenRoutes.create, { body: { name: 'bench', scope: 'all' } });
const table = `create table big as select n as id, md5(n::text) as a, md5((n+1)::text) as b from generate_series(1, ${ROWS}) n`;
await run('psql', ['-Xqd', postgres.url, '-c', table]);

const env = { ...cleanEnvironment(), GATEHOUSE_ADDRESS: world.gateway.origin, GATEHOUSE_TOKEN: token };
const args = ['proxy', 'db', 'shop', '--tunnel', '--db-user', USER, '--listen', '127.0.0.1:0', '--format', 'json'];
const proxy = spawn(join(ROOT, 'gatehouse'), args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
const [told] = (await once(proxy.stdout, 'data')) as [Buffer];
const [host = '', port = ''] = (JSON.parse(String(told)) as { address: string }).address.split(':');

const plain = { ...cleanEnvironment(), PGSSLMODE: 'disable' };
const secure = { ...cleanEnvironment(), PGSSLMODE: 'require', PGPASSWORD: PASSWORD };
const ways = {
  gateway: { host, port, env: plain, line: () => gatewayLine(world.tab, OPENSSH, login) },
  /** `ssh` beside `psql`, both straight to their servers: what the machine itself gives while this much is copied on it. */
  direct: { host: 'localhost', port: String(postgres.port), env: secure, line: () => sshLine(target.ssh) },
};

/** The echoes of keys, alone and beside copies, and how many of those there were in a second. */
async function measure(way: keyof typeof ways) {
  const { env: environment, line: open, ...address } = ways[way];
  const asked = ['-h', address.host, '-p', address.port, '-U', USER, '-d', postgres.database];
  const line = await atPrompt<Line>(open());
  const alone = await echoes(line, KEYS);
  let copying = true;
  let copies = 0;
  const began = performance.now();
  const copied = (async () => {
    for (; copying; copies += 1)
      await run('psql', [...asked, '-Xqo', '/dev/null', '-c', 'copy big to stdout'], { env: environment });
  })();
  const beside = await echoes(line, KEYS);
  copying = false;
  await copied;
  const rate = copies / ((performance.now() - began) / 1_000);
  line.close();
  await line.ended;
  return { alone, beside, rate };
}

const gateway = await measure('gateway');
const direct = await measure('direct');
await ended(proxy, 'SIGTERM');
await world.stop();
await target.stop();
await postgres.stop();
await users.remove();

const at = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
const tell = (times: readonly number[]) => `p50 ${at(times, 0.5).toFixed(2)} p99 ${at(times, 0.99).toFixed(2)}`;
for (const [name, { alone, beside, rate }] of Object.entries({ gateway, direct })) {
  console.log(`echo of a key, ms, ${name}, ${rate.toFixed(2)} copies of ${ROWS} rows a second`);
  console.log(`  alone          ${tell(alone)}`);
  console.log(`  beside a COPY  ${tell(beside)}`);
}
console.log(`at most ${LIMIT_MS} at the gateway`);
process.exitCode = at(gateway.beside, 0.99) <= LIMIT_MS ? 0 : 1;

/** Asks as a page does that this person has open. */
function asPage(origin: string, { headers, token: bearer }: Tab): Send {
  const csrf = /grv_csrf=([^;]*)/.exec(headers.cookie ?? '')?.[1] ?? '';
  return async ({ method, url, body }) => {
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const all = { ...headers, ...json, 'x-csrf-token': csrf, authorization: `Bearer ${bearer}` };
    const reply = await fetch(`${origin}${url}`, { method, headers: all, ...(body === undefined ? {} : { body }) });
    return { status: reply.status, text: await reply.text() };
  };
}
