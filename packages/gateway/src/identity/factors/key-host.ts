/** Keys and passkeys are bound to the host name they were registered under; a new name makes all of them useless. */
import type { Log } from '../../platform/std/log.ts';
import { readMeta, writeMeta } from '../../platform/storage/meta.ts';
import type { Db } from '../../platform/storage/tables.ts';

const KEY_HOST = 'auth.keyHost';

export async function warnOfNewHost(db: Db, host: string, log: Log): Promise<void> {
  const { keys } = await db
    .selectFrom('mfa_device')
    .select((eb) => eb.fn.countAll<number>().as('keys'))
    .where('type', '=', 'WebAuthn')
    .executeTakeFirstOrThrow();
  const before = await readMeta(db, KEY_HOST);
  if (Number(keys) > 0 && before !== undefined && before !== host) {
    // Kept as it was, so that every start warns until the name is back or the keys are gone.
    log.warn(
      { host, before, keys: Number(keys) },
      'the public name changed: keys and passkeys registered under the old one do not work',
    );
    return;
  }
  await writeMeta(db, KEY_HOST, host);
}
