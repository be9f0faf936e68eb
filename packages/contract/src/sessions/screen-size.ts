/**
 * The largest screen a session has. Each cell is memory at the gateway and for everybody who watches; more than fits on a wall of
 * monitors is no person's. A larger one is cut to this and not refused: its program is told the size it really has.
 */
import { z } from 'zod';

export const MAX_COLS = 1_000;
export const MAX_ROWS = 500;

/** What a terminal can say at all. */
const cells = z.int().min(1).max(4095);

export const screenCols = cells.transform((cols) => Math.min(cols, MAX_COLS));
export const screenRows = cells.transform((rows) => Math.min(rows, MAX_ROWS));
