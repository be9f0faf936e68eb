/** Agents with their join tokens, SSH authorities, and connections that were tried. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const servers: Migration = {
  number: 8,
  name: 'servers',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);
    await db.schema
      .createTable('join_token')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('hash', text, (column) => column.notNull().unique())
      .addColumn('hint', text, (column) => column.notNull())
      .addColumn('roles', json, (column) => column.notNull())
      .addColumn('labels', json, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('max_uses', integer)
      .addColumn('uses', integer, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('join_token_use')
      .addColumn('token', text, (column) => column.notNull().references('join_token.id').onDelete('cascade'))
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('time', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('join_token_use_key', ['token', 'key'])
      .execute();
    await db.schema
      .createTable('agent')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('key', text, (column) => column.notNull().unique())
      .addColumn('roles', json, (column) => column.notNull())
      .addColumn('labels', json, (column) => column.notNull())
      .addColumn('version', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('last_seen', integer)
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('connection', text, (column) => column.notNull())
      .addUniqueConstraint('agent_name', ['cluster', 'name'])
      .execute();
    await db.schema
      .createTable('ssh_authority')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('public_key', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('leaves', integer)
      .execute();
    await db.schema
      .createTable('connection_diagnostic')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('time', integer, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('data', json, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('connection_diagnostic_expires')
      .on('connection_diagnostic')
      .column('expires')
      .execute();
  },
};
