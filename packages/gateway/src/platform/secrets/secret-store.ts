/** The gateway's own secrets by name: signing keys, authorities and the like, made once and sealed. */
import { Secret } from '../std/secret.ts';
import { readMeta, writeMetaOnce } from '../storage/meta.ts';
import type { Db } from '../storage/tables.ts';
import type { SealedContext, SecretBox } from './secret-box.ts';

export async function readSecret(db: Db, box: SecretBox, name: string): Promise<Secret | undefined> {
  const row = await db.selectFrom('secret').select('sealed').where('name', '=', name).executeTakeFirst();
  return row && new Secret(box.openText(placeOf(name), row.sealed));
}

export async function writeSecret(
  db: Db,
  box: SecretBox,
  { name, value, now }: { name: string; value: Secret; now: number },
): Promise<void> {
  const sealed = box.seal(placeOf(name), value.reveal());
  await db
    .insertInto('secret')
    .values({ name, sealed, created: now, updated: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ sealed, updated: now }))
    .execute();
}

/** The secret, made by the first gateway that asks: those that start together agree on one. */
export async function readOrMakeSecret(
  db: Db,
  box: SecretBox,
  { name, make, now, onLost }: WantedSecret,
): Promise<Secret> {
  const marker = `secret.made ${name}`;
  const held = await readSecret(db, box, name);
  const wasMade = (await readMeta(db, marker)) !== undefined;
  if (held) {
    if (!wasMade) await writeMetaOnce(db, marker, String(now));
    return held;
  }
  const made = await db
    .insertInto('secret')
    .values({ name, sealed: box.seal(placeOf(name), make().reveal()), created: now, updated: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .execute();
  await writeMetaOnce(db, marker, String(now));
  // Another gateway that starts at the same time may have been first: then it was not lost.
  if (made.length > 0 && wasMade) onLost?.();
  return (await readSecret(db, box, name))!;
}

export interface WantedSecret {
  name: string;
  make: () => Secret;
  now: number;
  /** There was one before, and it is gone: what hangs on it has to be told. */
  onLost?: () => void;
}

function placeOf(name: string): SealedContext {
  return { table: 'secret', id: name, column: 'sealed' };
}
