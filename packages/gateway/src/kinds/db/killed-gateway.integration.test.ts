/** A gateway that is killed in the middle of a session with a database: what was recorded by then plays, without a hole, and nothing of it is changed. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EditorPage } from '../../../testing/db/editor-page.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import { signInToProcess } from '../../../testing/sessions/process-people.ts';
import { localSend } from '../../doors/local-socket/local-send.ts';

const CLUSTER = { clusterId: 'localhost' };
/** What waits for the disk waits no longer: what was answered before that is there. */
const WRITTEN_MS = 3_000;
let postgres: SecurePostgres;
let gateway: GatewayProcess;
beforeAll(async () => {
  [postgres, gateway] = await Promise.all([startSecurePostgres(), startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' })]);
});
afterAll(async () => {
  await gateway?.stop();
  await postgres?.stop();
});

async function openPage(): Promise<EditorPage> {
  const owner = localSend(gateway.dataDir);
  const allow = `{db_labels: {env: dev}, db_users: [by_scram], db_names: ['*'], rules: [{resources: [db_server], verbs: [list, read]}]}`;
  const content = `kind: role\nversion: v6\nmetadata: {name: shop-dev}\nspec: {allow: ${allow}}\n`;
  await call(owner, roleRoutes.create, { body: { content } });
  await call(owner, databaseRoutes.add, {
    params: CLUSTER,
    body: {
      ...{ name: 'shop', protocol: 'postgres', uri: `localhost:${postgres.port}`, signIn: 'password' },
      ...{ tls: { ca: postgres.ca }, database: postgres.database, labels: [{ name: 'env', value: 'dev' }] },
    },
  });
  const params = { ...CLUSTER, name: 'shop', dbUser: 'by_scram' };
  await call(owner, databaseRoutes.setSecret, { params, body: { password: PASSWORD } });
  const { headers, token } = await signInToProcess(gateway, 'ann', 'shop-dev');
  const cookies = new Map(
    (headers.cookie ?? '').split('; ').map((pair) => pair.split(/=(.*)/s, 2) as [string, string]),
  );
  return new EditorPage({
    origin: gateway.origin,
    host: new URL(gateway.origin).host,
    who: { cookies, bearer: token },
  });
}

test('what was answered before plays after the gateway was killed, each once and in order, and only its end is missing', async () => {
  const page = await openPage();
  const { sid } = await page.next('ready');
  const answered: { n: number; at: number }[] = [];
  const until = Date.now() + 2 * WRITTEN_MS;
  for (let n = 1; Date.now() < until; n += 1) {
    await page.run(`select ${n} as killed`);
    answered.push({ n, at: Date.now() });
  }
  const killedAt = Date.now();
  await gateway.crash();
  await gateway.start();

  const owner = localSend(gateway.dataDir);
  const params = { ...CLUSTER, sid };
  await expect
    .poll(async () => (await call(owner, recordingRoutes.get, { params })).state, { timeout: 60_000 })
    .toBe('truncated');
  const played: number[] = [];
  for (let query: { seek: string } | { next: string } = { seek: '0' }; ; ) {
    const piece: { items: readonly object[]; next?: string | undefined } = await call(owner, recordingRoutes.playback, {
      ...{ params, query },
    });
    for (const item of piece.items as { type: string; what?: string; text?: string }[])
      if (item.type === 'asked' && item.what !== 'prepare')
        played.push(Number(/^select (\d+) as killed$/.exec(item.text ?? '')?.[1]));
    if (piece.next === undefined) break;
    query = { next: piece.next };
  }
  const own = played.filter((n) => n > 0);
  expect(own).toEqual(Array.from({ length: own.length }, (_, index) => index + 1));
  const due = answered.filter(({ at }) => at < killedAt - WRITTEN_MS).length;
  expect(due).toBeGreaterThan(10);
  expect(own.length).toBeGreaterThanOrEqual(due);
  // All that is wrong with it is that its end is missing.
  const { checked, problem } = await call(owner, recordingUpkeepRoutes.verify, { params });
  expect(checked).toBeGreaterThan(1);
  expect(problem?.reason).toBe('it breaks off before the session ended');
});
