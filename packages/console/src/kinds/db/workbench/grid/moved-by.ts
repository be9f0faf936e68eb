/** Where a key leads in a grid. */

export interface CellAt {
  row: number;
  column: number;
}

interface GridSize {
  rows: number;
  columns: number;
  /** How many rows fit its box. */
  fit: number;
}

/** From nowhere every key leads to the first cell. Nothing: the key is for something else. */
export function movedBy(key: string, isWhole: boolean, from: CellAt | undefined, size: GridSize): CellAt | undefined {
  const { row, column } = from ?? { row: 0, column: 0 };
  const next = target(key, isWhole, { row, column }, size);
  if (!next) return undefined;
  if (!from) return { row: 0, column: 0 };
  return {
    row: Math.max(0, Math.min(size.rows - 1, next.row)),
    column: Math.max(0, Math.min(size.columns - 1, next.column)),
  };
}

function target(key: string, isWhole: boolean, { row, column }: CellAt, size: GridSize): CellAt | undefined {
  switch (key) {
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'PageDown':
      return { row: row + size.fit, column };
    case 'PageUp':
      return { row: row - size.fit, column };
    case 'Home':
      return { row: isWhole ? 0 : row, column: 0 };
    case 'End':
      return { row: isWhole ? size.rows - 1 : row, column: size.columns - 1 };
    default:
      return undefined;
  }
}
