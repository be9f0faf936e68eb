/** Removes what has expired. Links stay a while longer, so that an old one is told from an unknown one. */

import type { Db } from '../../platform/storage/tables.ts';
import { removeUnboundKeys } from '../stores/bound-key-store.ts';
import { forgetFormerBefore, someFormerNames } from '../stores/former-identity-store.ts';
import { hasKeptSessions } from '../stores/kept-sessions.ts';
import { FAILURE_WINDOW_MS } from './failures.ts';

const DAY_MS = 86_400_000;
const KEEP_ENDED_MS = 7 * DAY_MS;
/** Longer than anybody is on the way through a provider. */
const KEEP_LOGOUT_MS = 3_600_000;
/** For so long nobody else gets a name that looks like that of somebody who was deleted, and may return. */
const KEEP_FORMER_MS = 400 * DAY_MS;
/** Each may be looked for in all sessions. */
const FORMER_AT_ONCE = 5;

export async function sweepIdentity(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sign_in_secret').where('expires', '<', now).execute();
  await db
    .deleteFrom('sign_in')
    .where('expires', '<', now - KEEP_ENDED_MS)
    .execute();
  await db
    .deleteFrom('sign_in')
    .where('ended', '<', now - KEEP_ENDED_MS)
    .execute();
  await db
    .deleteFrom('user_token')
    .where('expires', '<', now - KEEP_ENDED_MS)
    .execute();
  await db.deleteFrom('webauthn_challenge').where('expires', '<', now).execute();
  await db.deleteFrom('sso_attempt').where('expires', '<', now).execute();
  await db
    .deleteFrom('provider_logout')
    .where('heard', '<', now - KEEP_LOGOUT_MS)
    .execute();
  await db.deleteFrom('cli_login').where('expires', '<', now).execute();
  await removeUnboundKeys(db);
  await db.deleteFrom('headless_request').where('expires', '<', now).execute();
  await db
    .deleteFrom('sign_in_failure')
    .where('time', '<', now - FAILURE_WINDOW_MS)
    .execute();
  await db.deleteFrom('lock_out').where('until', '<', now).execute();
  await forgetFormer(db, now - KEEP_FORMER_MS);
}

/**
 * By age alone, and never while sessions of the name are kept: they are what the memory holds for whoever returns. There is no greatest
 * number: whoever could fill it would choose who is forgotten, and take a name that looks like theirs.
 */
async function forgetFormer(db: Db, before: number): Promise<void> {
  for (const name of await someFormerNames(db, before, FORMER_AT_ONCE))
    if (!(await hasKeptSessions(db, name))) await forgetFormerBefore(db, name, before);
}
