/** Asks for the plan of a statement, where the server has to be told so beforehand as well. */
import { ask, type SqlClient } from './sql-client.ts';

/** Batches of their own, before and after. */
export interface Around {
  on: string;
  off: string;
}

/** Where it cannot be switched on, nothing is asked: the statement would be run. */
export async function askPlan(client: SqlClient, sql: string, around: Around | undefined) {
  if (!around) return await ask(client, sql);
  await client.tell(around.on);
  try {
    return await ask(client, sql);
  } finally {
    await client.tell(around.off);
  }
}
