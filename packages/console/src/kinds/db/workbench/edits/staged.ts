/** Changes of rows that somebody has made on the page and nobody has written yet. */
import type { RowChange, TableName } from '@gatehouse/contract/kinds/db/editor';
import type { Cell } from '../bench/row-buffer.ts';
import type { Result, Source } from '../bench/work.ts';
import type { Dialect } from '../dialects.ts';
import type { StagedRow } from '../grid/grid-row.tsx';

type Values = Readonly<Record<number, Cell>>;

export interface Staged {
  /** By row of the result; those behind its last are new. */
  rows: Readonly<Record<number, StagedRow>>;
  added: number;
}

export const NOTHING_STAGED: Staged = { rows: {}, added: 0 };

export function stageValue(staged: Staged, result: Result, at: { row: number; column: number }, value: Cell): Staged {
  const before = staged.rows[at.row] ?? { isRemoved: false, values: {} };
  const { [at.column]: _, ...others } = before.values;
  const isAdded = at.row >= result.count;
  const isBack = !isAdded && result.rows.at(at.row)?.[at.column] === value;
  const next = { ...before, values: isBack ? others : { ...others, [at.column]: value } };
  return withRow(staged, at.row, next, isAdded);
}

/** Once more takes it back. A row that is new is simply gone. */
export function stageRemoval(staged: Staged, result: Result, row: number): Staged {
  if (row >= result.count) return withoutAdded(staged, result.count, row);
  const before = staged.rows[row];
  return withRow(staged, row, { isRemoved: !before?.isRemoved, values: {} }, false);
}

export function stageRow(staged: Staged, result: Result): Staged {
  const row = result.count + staged.added;
  return { rows: { ...staged.rows, [row]: { isRemoved: false, values: {} } }, added: staged.added + 1 };
}

export function countStaged({ rows }: Staged): number {
  return Object.keys(rows).length;
}

/** In the order of the rows; each must find its row as it was shown. */
export function changesOf({ rows }: Staged, result: Result, { columns, key }: Source): RowChange[] {
  const named = (values: Values) =>
    Object.fromEntries(Object.entries(values).map(([column, value]) => [columns[Number(column)] ?? '', value]));
  return Object.entries(rows).map(([index, { isRemoved, values }]): RowChange => {
    const number = Number(index);
    if (number >= result.count) return { what: 'insert', values: named(values) };
    const row = result.rows.at(number) ?? [];
    const whole: Record<string, Cell> = {};
    for (const [column, name] of columns.entries())
      if (result.rows.cutAt(number, column) === undefined) whole[name] = row[column] ?? null;
    const keyOf = Object.fromEntries(key.map((name) => [name, whole[name] ?? null]));
    const changed = named(values);
    const old = Object.fromEntries(
      Object.entries(whole).filter(([name]) => (isRemoved ? !key.includes(name) : name in changed)),
    );
    return isRemoved ? { what: 'delete', key: keyOf, old } : { what: 'update', key: keyOf, old, values: changed };
  });
}

/** As it would be typed. What is sent has the values beside the statement, and not in it. */
export function sqlOf(changes: readonly RowChange[], table: TableName, dialect: Dialect): string {
  return changes.map((change) => `${statementOf(change, table, dialect)};`).join('\n');
}

function statementOf(change: RowChange, { schema, table }: TableName, dialect: Dialect): string {
  const { quoteName, quoteText, same } = dialect;
  const value = (cell: Cell) => (cell === null ? 'NULL' : quoteText(cell));
  const name = `${quoteName(schema)}.${quoteName(table)}`;
  if (change.what === 'insert') {
    const fields = Object.entries(change.values);
    if (fields.length === 0) return `INSERT INTO ${name} DEFAULT VALUES`;
    const columns = fields.map(([column]) => quoteName(column)).join(', ');
    return `INSERT INTO ${name} (${columns}) VALUES (${fields.map(([, cell]) => value(cell)).join(', ')})`;
  }
  const conditions = [
    ...Object.entries(change.key).map(([column, cell]) => `${quoteName(column)} = ${value(cell)}`),
    ...Object.entries(change.old).map(([column, cell]) => same(quoteName(column), value(cell))),
  ].join(' AND ');
  if (change.what === 'delete') return `DELETE FROM ${name} WHERE ${conditions}`;
  const sets = Object.entries(change.values).map(([column, cell]) => `${quoteName(column)} = ${value(cell)}`);
  return `UPDATE ${name} SET ${sets.join(', ')} WHERE ${conditions}`;
}

/** A row that is as it was is none that was changed; a new one is new, whatever is in it. */
function withRow(staged: Staged, row: number, next: StagedRow, isAdded: boolean): Staged {
  const { [row]: _, ...others } = staged.rows;
  const isChanged = isAdded || next.isRemoved || Object.keys(next.values).length > 0;
  return { ...staged, rows: isChanged ? { ...others, [row]: next } : others };
}

function withoutAdded({ rows, added }: Staged, count: number, gone: number): Staged {
  const left = Object.entries(rows)
    .map(([index, row]) => [Number(index), row] as const)
    .filter(([index]) => index !== gone)
    .map(([index, row]) => [index > gone && index >= count ? index - 1 : index, row] as const);
  return { rows: Object.fromEntries(left), added: added - 1 };
}
