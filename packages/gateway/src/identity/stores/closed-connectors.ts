/** Whose connector is switched off, so that nobody comes through it. */
import type { Db } from '../../platform/storage/tables.ts';
import type { User } from './user-store.ts';

/** Gives the connector that took what somebody held with it, where no other one lets them in. */
export async function readClosedConnectors(db: Db): Promise<(user: User) => string | undefined> {
  const off = await db.selectFrom('connector').select('name').where('enabled', '=', 0).execute();
  if (off.length === 0) return () => undefined;
  const closed = new Set(off.map(({ name }) => name));
  const others = await db
    .selectFrom('user_identity')
    .innerJoin('connector', 'connector.name', 'user_identity.connector')
    .select('user_identity.user')
    .where('connector.enabled', '=', 1)
    .execute();
  const elsewhere = new Set(others.map(({ user }) => user));
  return ({ name, roles, givenBy }) =>
    givenBy !== undefined && closed.has(givenBy) && roles.length === 0 && !elsewhere.has(name) ? givenBy : undefined;
}
