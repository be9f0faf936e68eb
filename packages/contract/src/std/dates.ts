/** Dates as the specification fixes them: yyyy-MM-dd and yyyy-MM-dd HH:mm:ss in the reader's time zone. */

const pad = (value: number, width = 2) => String(value).padStart(width, '0');

/** `undefined` as a word is what the specification asks for when a date cannot be formatted. */
export function formatDate(value: unknown): string {
  const date = toDate(value);
  if (!date) return 'undefined';
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

export function formatDateTime(value: unknown): string {
  const date = toDate(value);
  if (!date) return 'undefined';
  return `${formatDate(date)} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** Unset times arrive as the zero time of Go: a date nobody meant. */
export const ZERO_TIME = '0001-01-01T00:00:00Z';

function toDate(value: unknown): Date | undefined {
  if (value === undefined || value === null || value === '' || value === ZERO_TIME) return undefined;
  if (!(value instanceof Date) && typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = value instanceof Date ? value : new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
