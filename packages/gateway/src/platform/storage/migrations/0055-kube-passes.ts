/** Passes with which programs come to Kubernetes clusters. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const kubePasses: Migration = {
  number: 55,
  name: 'kube-passes',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('kube_pass')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('resource', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('given', integer, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('factor_proven', integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('kube_pass_expires').on('kube_pass').column('expires').execute();
    await db.schema.createIndex('kube_pass_sign_in').on('kube_pass').column('sign_in').execute();
  },
};
