/** By which connectors the people of one could have what they hold, in the store. */
import type { Db } from '../../../platform/storage/tables.ts';

/** The connectors that those of one come through, or were given what they hold by; each with one of them. */
export async function listWaysOfThoseAt(db: Db, connector: string): Promise<{ connector: string; user: string }[]> {
  const those = db.selectFrom('user_identity').select('user').where('connector', '=', connector);
  const linked = await db
    .selectFrom('user_identity')
    .select((eb) => ['connector', eb.fn.min<string>('user').as('user')])
    .where('user', 'in', those)
    .groupBy('connector')
    .execute();
  const given = await db
    .selectFrom('user')
    .select((eb) => ['given_by', eb.fn.min<string>('name').as('user')])
    .where('name', 'in', those)
    .groupBy('given_by')
    .execute();
  const ways = given.flatMap(({ given_by, user }) => (given_by === null ? [] : [[given_by, user] as const]));
  const users = new Map([...ways, ...linked.map(({ connector: each, user }) => [each, user] as const)]);
  return [...users].map(([each, user]) => ({ connector: each, user }));
}
