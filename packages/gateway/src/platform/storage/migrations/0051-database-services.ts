/** Agents look after databases by labels, and tokens sign for hosts. Tokens that exist sign for none of their own, and agents that exist look after nothing. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const databaseServices: Migration = {
  number: 51,
  name: 'database-services',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    for (const [table, column, nothing] of [
      ['join_token', 'hosts', '[]'],
      ['agent', 'matcher_labels', '{}'],
      ['agent', 'database_match', '[]'],
    ] as const)
      await db.schema
        .alterTable(table)
        .addColumn(column, text, (definition) => definition.notNull().defaultTo(nothing))
        .execute();
  },
};
