/** What is meant when somebody says "run" with the cursor somewhere. */
import type { PlacedStatement } from '@gatehouse/contract/kinds/db/placed-statement';
import { splitStatements } from '@gatehouse/contract/kinds/db/split-statements';
import type { Quoting } from '@gatehouse/contract/kinds/db/sql-tokens';

/** The statement the cursor is in or directly behind; between two, the one before, and before all the first. */
export function statementAt(text: string, cursor: number, quoting: Quoting): PlacedStatement | undefined {
  const all = splitStatements(text, quoting);
  return all.findLast(({ from }) => from <= cursor) ?? all[0];
}
