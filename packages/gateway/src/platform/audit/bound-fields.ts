/** Keeps one event from filling the log: long texts are cut, deep and wide values are cut short, and what no store takes is replaced. */

const MAX_TEXT = 8_192;
const MAX_DEPTH = 8;
const MAX_ITEMS = 256;
/** Of all texts of an event together. */
const MAX_TOTAL = 65_536;

export function boundFields(fields: Record<string, unknown>): Record<string, unknown> {
  const left = { characters: MAX_TOTAL };
  return bound(fields, left, 0) as Record<string, unknown>;
}

/** A column's text: names longer than this are none. */
export function boundColumn(text: string): string {
  return storable(text.length > 512 ? text.slice(0, 512) : text);
}

interface Left {
  characters: number;
}

function bound(value: unknown, left: Left, depth: number): unknown {
  if (typeof value === 'string') return boundText(value, left);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '… (nested too deeply)';
  if (value instanceof Date) return value.toJSON();
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => bound(item, left, depth + 1) ?? null);
    return value.length > MAX_ITEMS ? [...items, `… (${value.length - MAX_ITEMS} more)`] : items;
  }
  const result: Record<string, unknown> = Object.create(null);
  let names = 0;
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    names += 1;
    if (names > MAX_ITEMS) break;
    left.characters -= name.length;
    result[storable(name.slice(0, 256))] = bound(inner, left, depth + 1);
  }
  return result;
}

function boundText(text: string, left: Left): string {
  const room = Math.max(0, Math.min(MAX_TEXT, left.characters));
  left.characters -= Math.min(text.length, room);
  if (text.length <= room) return storable(text);
  return `${storable(text.slice(0, room))}… (${text.length} characters)`;
}

/** PostgreSQL takes no NUL, and half a pair of UTF-16 would come back as another character than was hashed. */
function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.replaceAll('\0', '\ufffd').toWellFormed();
}
