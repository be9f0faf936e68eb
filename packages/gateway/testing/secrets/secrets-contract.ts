/** What sealing and rotating must do alike on every engine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { putResources } from '../../src/inventory/resource-store.ts';
import { openSecretBox } from '../../src/platform/secrets/open-secret-box.ts';
import { rotateKey } from '../../src/platform/secrets/rotate-key.ts';
import { readOrMakeSecret, readSecret, writeSecret } from '../../src/platform/secrets/secret-store.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import { Secret } from '../../src/platform/std/secret.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import { openTestFolder } from '../storage/test-folder.ts';

export function secretsContract(open: () => Promise<Storage>): void {
  let storage: Storage;

  beforeAll(async () => {
    storage = await open();
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await storage.db.deleteFrom('secret').execute();
    await storage.db.deleteFrom('meta').where('key', '=', 'secrets.check').execute();
  });

  const openBox = (dataDir: string) => openSecretBox(storage.db, { dataDir, log: silentLog });

  test('a stored secret is sealed in its row and opens with the same key after a restart', async () => {
    const { db } = storage;
    const dataDir = openTestFolder();

    await writeSecret(db, await openBox(dataDir), { name: 'signing', value: new Secret('hunter2 ✓'), now: 1 });

    const row = await db.selectFrom('secret').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain('hunter2');
    expect((await readSecret(db, await openBox(dataDir), 'signing'))?.reveal()).toBe('hunter2 ✓');
  });

  test('gateways that make a secret at the same time agree on one', async () => {
    const { db } = storage;
    const box = await openBox(openTestFolder());
    let made = 0;
    const make = () => new Secret(`made ${made++}`);

    const secrets = await Promise.all(
      Array.from({ length: 5 }, () => readOrMakeSecret(db, box, { name: 'once', make, now: 1 })),
    );

    expect(new Set(secrets.map((secret) => secret.reveal())).size).toBe(1);
  });

  test('rotation seals everything anew, retires the old key, and everything still opens', async () => {
    const { db } = storage;
    const dataDir = openTestFolder();
    const box = await openBox(dataDir);
    const names = Array.from({ length: 250 }, (_, index) => `s${index}`);
    for (const name of names) await writeSecret(db, box, { name, value: new Secret(`value of ${name}`), now: 1 });
    const oldKey = box.sealingKey.id;

    const rotation = await rotateKey(db, box, silentLog);

    expect(rotation).toEqual({ keyId: box.sealingKey.id, resealed: 251, unreadable: 0 });
    expect(rotation.keyId).not.toBe(oldKey);
    const left = await db.selectFrom('secret').select('name').where('sealed', 'like', `v1.${oldKey}.%`).execute();
    expect(left).toEqual([]);
    expect(readFileSync(join(dataDir, 'secrets.key'), 'utf8').match(/^(key|retired) /gm)).toEqual(['key ', 'retired ']);
    const again = await openBox(dataDir);
    for (const name of names) expect((await readSecret(db, again, name))?.reveal()).toBe(`value of ${name}`);
  });

  test('of several rows with one id none is left behind, wherever a batch ends', async () => {
    const { db } = storage;
    const box = await openBox(openTestFolder());
    const place = (id: string) => ({ table: 'resource', id, column: 'sealed' });
    const ids = Array.from({ length: 120 }, (_, index) => `r${String(index).padStart(3, '0')}`);
    const rows = ids.flatMap((id) =>
      (['app', 'db'] as const).map((kind) => ({
        ...{ cluster: 'rotated', kind, id, name: id, labels: {}, spec: {}, owner: '', expires: undefined },
        sealed: box.seal(place(id), kind),
      })),
    );
    // An odd one before them: a batch of an even size then ends within a pair.
    rows.push({ ...rows[0]!, id: 'a', name: 'a', sealed: box.seal(place('a'), 'app') });
    await db.transaction().execute((tx) => putResources(tx, rows, 1));

    expect(await rotateKey(db, box, silentLog)).toMatchObject({ unreadable: 0, resealed: rows.length + 1 });
    await db.deleteFrom('resource').where('cluster', '=', 'rotated').execute();
  });

  test('a rotation that breaks off leaves everything readable, and can be run again', async () => {
    const { db } = storage;
    const dataDir = openTestFolder();
    const box = await openBox(dataDir);
    const names = Array.from({ length: 230 }, (_, index) => `s${String(index).padStart(3, '0')}`);
    for (const name of names) await writeSecret(db, box, { name, value: new Secret(name), now: 1 });
    let transactions = 0;
    const breaking = new Proxy(db, {
      get(target, key) {
        if (key === 'transaction' && ++transactions === 3) throw new Error('the power went out');
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });

    await expect(rotateKey(breaking, box, silentLog)).rejects.toThrow('the power went out');

    const keys = await db.selectFrom('secret').select('sealed').execute();
    expect(new Set(keys.map((row) => row.sealed.split('.')[1])).size).toBe(2);
    const restarted = await openBox(dataDir);
    for (const name of names) expect((await readSecret(db, restarted, name))?.reveal()).toBe(name);

    expect(await rotateKey(db, restarted, silentLog)).toMatchObject({ unreadable: 0 });
    for (const name of names) expect((await readSecret(db, await openBox(dataDir), name))?.reveal()).toBe(name);
  });

  test('a value that no key opens is left as it is and keeps the old key in use', async () => {
    const { db } = storage;
    const box = await openBox(openTestFolder());
    const oldKey = box.sealingKey.id;
    await writeSecret(db, box, { name: 'good', value: new Secret('good'), now: 1 });
    const { sealed } = await db.selectFrom('secret').select('sealed').executeTakeFirstOrThrow();
    await db.insertInto('secret').values({ name: 'moved', sealed, created: 1, updated: 1 }).execute();

    expect(await rotateKey(db, box, silentLog)).toMatchObject({ unreadable: 1 });

    expect(box.keys.find((key) => key.id === oldKey)?.retired).toBe(false);
    await expect(readSecret(db, box, 'moved')).rejects.toThrow('moved from another place');
  });
}
