/** How a value is shown in one line of a grid. */
import { visibleText } from '@gatehouse/contract/std/visible-text';

/** More is not seen in the widest column. */
const IN_A_CELL = 160;

export function cellText(value: string): string {
  return visibleText(value, IN_A_CELL);
}

const NUMBERS = /^(small|big|tiny|medium)?(int|serial|numeric|decimal|real|double|float|oid|money|bit\b)/i;

/** Numbers are compared from the right. */
export function isNumeric(type: string): boolean {
  return NUMBERS.test(type) && !type.endsWith('[]');
}

export function isJson(type: string): boolean {
  return /^jsonb?$/i.test(type);
}
