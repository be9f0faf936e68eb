/** What join tokens carry for clouds and databases. Tokens that exist carry nothing. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const tokenFacts: Migration = {
  number: 29,
  name: 'token-facts',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    for (const [column, nothing] of [
      ['allow_rules', '[]'],
      ['matcher_labels', '{}'],
    ] as const)
      await db.schema
        .alterTable('join_token')
        .addColumn(column, text, (definition) => definition.notNull().defaultTo(nothing))
        .execute();
  },
};
