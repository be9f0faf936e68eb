/** What was approved, with a real MariaDB behind the gateway. */
import { dbApprovalRoutes } from '@gatehouse/contract/kinds/db/db-approvals';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApprovalWorld, startApprovalWorld } from '../../../../testing/db/approval-world.ts';
import { CLUSTER } from '../../../../testing/db/db-world.ts';
import { editorPages } from '../../../../testing/db/editor-pages.ts';
import { PASSWORD, type SecureMariadb, startSecureMariadb } from '../../../../testing/db/secure-mariadb.ts';

let mariadb: SecureMariadb;
let world: ApprovalWorld;
beforeAll(async () => {
  mariadb = await startSecureMariadb(
    'create table shop.goods (id int primary key, price int); insert into shop.goods values (1, 10), (2, 10)',
  );
  world = await startApprovalWorld({
    ...{ protocol: 'mysql', port: mariadb.port, ca: mariadb.ca, database: 'shop', dbNames: ['shop'] },
    ...{ dbUsers: ['by_native'], password: PASSWORD },
  });
});
afterAll(async () => {
  await closePages();
  await world?.close();
  await mariadb?.stop();
});

const { ready, closePages } = editorPages(() => ({ origin: world.origin, who: world.ann, dbUser: 'by_native' }));

test('what writes is refused, approved, and run once; tables are changed as well', async () => {
  const page = await ready();
  const run = async (approval: string) => {
    const id = page.send({ type: 'runApproved', tab: 0, approval });
    await page.settled(() =>
      page.heard.some(
        (reply) =>
          'id' in reply && reply.id === id && (reply.type === 'failed' || (reply.type === 'done' && reply.left === 0)),
      ),
    );
    return page.heard.findLast((reply) => 'id' in reply && reply.id === id);
  };
  const prices = async () => (await page.run('select price from goods order by id')).rows;
  const sql = 'update goods set price = 20 where id = 1; update goods set price = 30 where id = 2';
  await expect(page.run(sql)).rejects.toThrow(/read_only/);

  const approval = await world.approved(sql);
  expect(await run(approval)).toMatchObject({ type: 'done', statement: 1, transaction: 'none' });
  expect(await prices()).toEqual([['20'], ['30']]);
  expect(await run(approval)).toMatchObject({ type: 'failed', message: expect.stringContaining('already') });
  const failing = await world.approved('update goods set price = 1; insert into goods values (1, 1)');
  expect(await run(failing)).toMatchObject({ type: 'failed', code: '1062' });
  expect(await prices()).toEqual([['20'], ['30']]);
  expect(await run(await world.approved('alter table goods add column note text'))).toMatchObject({ type: 'done' });
  expect((await page.run('select note from goods')).rows).toEqual([[null], [null]]);
  const params = { ...CLUSTER, name: 'shop' };
  const body = { dbUser: 'by_native', sql: 'drop table goods; select 1', reason: 'no' };
  await expect(call(world.ann.send, dbApprovalRoutes.ask, { params, body })).rejects.toThrow('by itself');
  const hidden = { ...body, sql: 'update goods set price = 1 /*!99999 where id = 1 */' };
  await expect(call(world.ann.send, dbApprovalRoutes.ask, { params, body: hidden })).rejects.toThrow('/*!');
});
