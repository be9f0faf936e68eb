/** Whether a session ever reached what it was opened for, and what it ran where nobody had a terminal. */
import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

/** As this step knows the table, whatever it has become since. */
interface Then {
  session: { begun: number | null; connected: number | null; end_cause: string | null };
}

export const connections: Migration = {
  number: 28,
  name: 'connections',
  async up(untyped, engine) {
    const { text, integer } = columnTypes(engine);
    await untyped.schema.alterTable('session').addColumn('connected', integer).execute();
    await untyped.schema
      .alterTable('session')
      .addColumn('interactive', integer, (column) => column.notNull().defaultTo(1))
      .execute();
    await untyped.schema.alterTable('session').addColumn('command', text).execute();
    // What failed did so while it was dialled: that was the one way to fail.
    await (untyped as Kysely<Then>)
      .updateTable('session')
      .set(({ ref }) => ({ connected: ref('begun') }))
      .where(({ eb, or }) => or([eb('end_cause', 'is', null), eb('end_cause', '!=', 'failed')]))
      .execute();
  },
};
