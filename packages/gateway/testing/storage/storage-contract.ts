/** What every engine of the store must do alike; run against each of them. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isStoreDown, isUniqueViolation } from '../../src/platform/storage/errors.ts';
import { jsonField, readJson, writeJson } from '../../src/platform/storage/json.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import type { Db } from '../../src/platform/storage/tables.ts';
import { executeTogether } from '../../src/platform/storage/together.ts';
import { inTransaction } from '../../src/platform/storage/transaction.ts';

const NOON = 1_800_000_000_000;

export function storageContract(open: () => Promise<Storage>): void {
  let storage: Storage;
  let db: Db;

  beforeAll(async () => {
    storage = await open();
    db = storage.db;
  });
  afterAll(() => storage.close());

  const alert = (name: string, labels: unknown = {}) => ({
    name,
    severity: 0,
    message: 'hello',
    labels: writeJson(labels),
    created: NOON,
    expires: null,
  });
  const insert = (handle: Db, name: string) => handle.insertInto('alert').values(alert(name)).execute();
  const names = async (like: string) =>
    (await db.selectFrom('alert').select('name').where('name', 'like', like).orderBy('name').execute()).map(
      (row) => row.name,
    );

  test('a row is inserted, read, changed and deleted, and the counts say so', async () => {
    await insert(db, 'crud');

    const updated = await db.updateTable('alert').set({ severity: 5 }).where('name', '=', 'crud').executeTakeFirst();
    const row = await db.selectFrom('alert').selectAll().where('name', '=', 'crud').executeTakeFirst();
    const deleted = await db.deleteFrom('alert').where('name', '=', 'crud').executeTakeFirst();
    const again = await db.deleteFrom('alert').where('name', '=', 'crud').executeTakeFirst();

    expect(row).toEqual({ ...alert('crud'), severity: 5 });
    expect([updated.numUpdatedRows, deleted.numDeletedRows, again.numDeletedRows]).toEqual([1n, 1n, 0n]);
  });

  test('an upsert replaces, and returning gives the row back', async () => {
    const upsert = (message: string) =>
      db
        .insertInto('alert')
        .values({ ...alert('upsert'), message })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((eb) => ({ message: eb.ref('excluded.message') })),
        )
        .returning(['name', 'message', 'created'])
        .executeTakeFirstOrThrow();

    await upsert('first');

    expect(await upsert('second')).toEqual({ name: 'upsert', message: 'second', created: NOON });
  });

  test('a transaction that throws leaves nothing behind', async () => {
    const failing = db.transaction().execute(async (tx) => {
      await insert(tx, 'rollback');
      throw new Error('changed my mind');
    });

    await expect(failing).rejects.toThrow('changed my mind');
    expect(await names('rollback')).toEqual([]);
  });

  test('statements that are sent together are run in their order and answered in it', async () => {
    const [added, changed, found] = await db
      .transaction()
      .execute((tx) =>
        executeTogether(tx, [
          tx.insertInto('alert').values(alert('together')).compile(),
          tx.updateTable('alert').set({ severity: 3 }).where('name', '=', 'together').returning('severity').compile(),
          tx.selectFrom('alert').select(['name', 'severity']).where('name', '=', 'together').compile(),
        ]),
      );

    expect([added?.rows, changed?.rows, found?.rows]).toEqual([
      [],
      [{ severity: 3 }],
      [{ name: 'together', severity: 3 }],
    ]);
    expect(await names('together')).toEqual(['together']);
  });

  test('one of those that are sent together fails: nothing of the transaction stays, and the error is its own', async () => {
    await insert(db, 'several-1');
    const failing = db.transaction().execute(async (tx) => {
      await insert(tx, 'several-2');
      const put = (name: string) => tx.insertInto('alert').values(alert(name)).compile();
      await executeTogether(tx, [put('several-3'), put('several-1'), put('several-4')]);
    });

    await expect(failing).rejects.toSatisfy(isUniqueViolation);
    expect(await names('several-%')).toEqual(['several-1']);
  });

  test('a failed statement dooms its transaction even when the error is swallowed', async () => {
    await insert(db, 'doomed-1');

    const failing = db.transaction().execute(async (tx) => {
      await insert(tx, 'doomed-2');
      await insert(tx, 'doomed-1').catch(() => {});
    });

    await expect(failing).rejects.toThrow();
    expect(await names('doomed-%')).toEqual(['doomed-1']);
  });

  test('a unique violation is told from other errors', async () => {
    await insert(db, 'unique');

    const twice = await insert(db, 'unique').catch((error: unknown) => error);
    const inside = await db
      .transaction()
      .execute((tx) => insert(tx, 'unique'))
      .catch((error: unknown) => error);
    const missing = await sql`select * from no_such_table`.execute(db).catch((error: unknown) => error);
    const empty = await db
      .insertInto('alert')
      .values({ ...alert('empty'), message: null as unknown as string })
      .execute()
      .catch((error: unknown) => error);

    expect([twice, inside, missing, empty].map(isUniqueViolation)).toEqual([true, true, false, false]);
    expect([twice, inside, missing, empty].map(isStoreDown)).toEqual([false, false, false, false]);
  });

  test('what is not committed is seen inside the transaction and nowhere else', async () => {
    const inside = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();
    const writing = db.transaction().execute(async (tx) => {
      await insert(tx, 'uncommitted');
      const own = await tx.selectFrom('alert').select('name').where('name', '=', 'uncommitted').execute();
      inside.resolve();
      await Promise.race([seen.promise, new Promise((resolve) => setTimeout(resolve, 300))]);
      return own.length;
    });

    let committed = false;
    const finished = writing.then((own) => {
      committed = true;
      return own;
    });
    await inside.promise;
    // A store in memory answers only after the commit; one with readers answers before, however late that is heard.
    const outside = await names('uncommitted');
    expect(outside).toEqual(outside.length > 0 && committed ? ['uncommitted'] : []);
    seen.resolve();

    expect(await finished).toBe(1);
    expect(await names('uncommitted')).toEqual(['uncommitted']);
  });

  test('whoever has written reads it at once', async () => {
    for (let round = 0; round < 100; round++) {
      await db
        .updateTable('meta')
        .set({ value: String(round) })
        .where('key', '=', 'round')
        .execute();
      if (round === 0) await db.insertInto('meta').values({ key: 'round', value: '0' }).execute();
      const row = await db.selectFrom('meta').select('value').where('key', '=', 'round').executeTakeFirstOrThrow();
      expect(row.value).toBe(String(round));
    }
  });

  test('concurrent transactions lose no update', async () => {
    await insert(db, 'counter');

    await Promise.all(
      Array.from({ length: 40 }, () =>
        db.transaction().execute(async (tx) => {
          await tx
            .updateTable('alert')
            .set((eb) => ({ severity: eb('severity', '+', 1) }))
            .where('name', '=', 'counter')
            .execute();
          await tx.selectFrom('alert').select('severity').where('name', '=', 'counter').execute();
        }),
      ),
    );

    const row = await db.selectFrom('alert').select('severity').where('name', '=', 'counter').executeTakeFirstOrThrow();
    expect(row.severity).toBe(40);
  });

  test('among many writes at once only the wrong ones fail', async () => {
    await insert(db, 'many-050');
    const wanted = Array.from({ length: 200 }, (_, index) => `many-${String(index).padStart(3, '0')}`);

    const results = await Promise.allSettled(wanted.map((name) => insert(db, name)));

    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(1);
    expect(results[50]?.status).toBe('rejected');
    expect(await names('many-%')).toEqual(wanted);
  });

  test('a function joins the transaction it is called in', async () => {
    const failing = inTransaction(db, async (outer) => {
      await inTransaction(outer, (inner) => insert(inner, 'joined'));
      throw new Error('outer fails');
    });

    await expect(failing).rejects.toThrow('outer fails');
    expect(await names('joined')).toEqual([]);
  });

  test('pages by key go through every row once, in the order of the bytes', async () => {
    const ordered = ['p-A', 'p-Z', 'p-a', 'p-z', 'p-é', 'p-日本', 'p-😀'];
    for (const name of ordered.toReversed()) await insert(db, name);

    const read: string[] = [];
    for (let after = 'p-'; ; ) {
      const page = await db
        .selectFrom('alert')
        .select('name')
        .where('name', 'like', 'p-%')
        .where('name', '>', after)
        .orderBy('name')
        .limit(3)
        .execute();
      read.push(...page.map((row) => row.name));
      if (page.length < 3) break;
      after = page.at(-1)!.name;
    }

    expect(read).toEqual(ordered);
  });

  test('counts, sums and times are numbers', async () => {
    const late = Number.MAX_SAFE_INTEGER;
    await db
      .insertInto('alert')
      .values({ ...alert('number-1'), severity: 2, expires: late })
      .execute();
    await db
      .insertInto('alert')
      .values({ ...alert('number-2'), severity: 3 })
      .execute();

    const row = await db
      .selectFrom('alert')
      .select((eb) => [
        eb.fn.countAll<number>().as('count'),
        eb.fn.sum<number>('severity').as('sum'),
        eb.fn.max('expires').as('latest'),
        eb.fn.min('created').as('created'),
      ])
      .where('name', 'like', 'number-%')
      .executeTakeFirstOrThrow();

    expect(row).toEqual({ count: 2, sum: 5, latest: late, created: NOON });
  });

  test('JSON comes back as it was written, and its fields can be asked for', async () => {
    const labels = { env: 'prod', 'a.b': 'dotted', $: 'dollar', "it's": 'quoted', nested: { list: [1, true, null] } };
    await db.insertInto('alert').values(alert('json-1', labels)).execute();
    await db
      .insertInto('alert')
      .values(alert('json-2', { env: 'staging' }))
      .execute();
    await db.insertInto('alert').values(alert('json-3', 'only a "text"')).execute();

    const having = async (field: string, value: string) =>
      (
        await db
          .selectFrom('alert')
          .select('name')
          .where('name', 'in', ['json-1', 'json-2'])
          .where(jsonField(db, 'labels', field), '=', value)
          .execute()
      ).map((row) => row.name);
    const stored = await db
      .selectFrom('alert')
      .select('labels')
      .where('name', 'like', 'json-%')
      .orderBy('name')
      .execute();

    expect(stored.map((row) => readJson(row.labels))).toEqual([labels, { env: 'staging' }, 'only a "text"']);
    expect(await having('env', 'prod')).toEqual(['json-1']);
    expect(await having('env', 'staging')).toEqual(['json-2']);
    expect(await having('a.b', 'dotted')).toEqual(['json-1']);
    expect(await having('$', 'dollar')).toEqual(['json-1']);
    expect(await having("it's", 'quoted')).toEqual(['json-1']);
    expect(await having('a', 'dotted')).toEqual([]);
  });

  test('texts of any script and size come back whole', async () => {
    const message = `${'naïve 日本語 👩‍🚀 "quotes" \\ %_ '.repeat(40_000)}end`;
    await db
      .insertInto('alert')
      .values({ ...alert('big'), message })
      .execute();

    const row = await db.selectFrom('alert').select('message').where('name', '=', 'big').executeTakeFirstOrThrow();

    expect(row.message === message).toBe(true);
  });

  test('the cluster has an id of its own', () => {
    expect(storage.cluster.clusterId).toMatch(/^[0-9a-f-]{36}$/);
    expect(storage.cluster.created).toBeGreaterThan(1_700_000_000_000);
  });
}
