/**
 * Statements of which none waits for the answer of another. SQLite's thread is asked for all of them at once: a transaction lets one through
 * at a time otherwise, and the way there and back is most of what each takes.
 */
import { CompiledQuery, type QueryResult } from 'kysely';
import { isPostgres } from './named-lock.ts';
import type { Tx } from './tables.ts';

type Row = Record<string, unknown>;

const parts = new WeakMap<CompiledQuery, readonly CompiledQuery[]>();

/** In their order, and in the order of their answers. One that fails is why all of them have: the transaction can only be rolled back then. */
export async function executeTogether(tx: Tx, queries: readonly CompiledQuery[]): Promise<readonly QueryResult<Row>[]> {
  if (isPostgres(tx)) {
    const answers: QueryResult<Row>[] = [];
    for (const query of queries) answers.push(await tx.executeQuery<Row>(query));
    return answers;
  }
  const all = CompiledQuery.raw('');
  parts.set(all, queries);
  return (await tx.executeQuery<QueryResult<Row>>(all)).rows;
}

/** Undefined: a statement like any other. */
export function partsOf(query: CompiledQuery): readonly CompiledQuery[] | undefined {
  return parts.get(query);
}
