/** SQL Server at the workbench. */
import { splitBatches } from '@gatehouse/contract/kinds/db/split-batches';
import type { Dialect } from '../thread/dialect.ts';
import { ask, SqlError } from '../thread/sql-client.ts';
import { treeLevel } from '../thread/tree-level.ts';
import { SqlserverClient } from './sqlserver-client.ts';
import { planOf, SHOW_PLAN } from './sqlserver-plan.ts';
import { changes, sourceOf } from './sqlserver-rows.ts';
import { whyNotReading, whyNotTried } from './sqlserver-rules.ts';
import { SQLSERVER_TREE, sqlserverNames } from './sqlserver-tree.ts';

export const SQLSERVER_DIALECT: Dialect = {
  split: splitBatches,
  open: (connect) => SqlserverClient.open(connect),
  begin: 'BEGIN TRANSACTION',
  // It has none that only reads: this one is rolled back, whatever was missed.
  beginReadOnly: 'BEGIN TRANSACTION',
  whyNotReadOnly: whyNotReading,
  whyNotDry: async (sql) => whyNotTried(sql),
  explained(_sql, analyze) {
    if (analyze) throw new SqlError('bad_request', 'plans are not measured with SQL Server');
    return { before: '', around: SHOW_PLAN, format: 'json', read: planOf, runs: false };
  },
  // The server tells them with the result.
  typeNames: async (_side, columns) => columns.map(({ type }) => type),
  readsSources: true,
  sourceOf,
  changes,
  level: (side, path, after) => treeLevel(side, SQLSERVER_TREE, path, after),
  names: (side, most) => ask(side, sqlserverNames(most)),
};
