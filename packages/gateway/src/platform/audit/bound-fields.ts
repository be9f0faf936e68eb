/** Keeps one event from filling the log: long texts are cut, deep and wide values are cut short, and what no store takes is replaced. */
import { quotedPlain } from '../std/canonical-json.ts';

const MAX_TEXT = 8_192;
const MAX_DEPTH = 8;
const MAX_ITEMS = 256;
/** Of all texts of an event together. */
const MAX_TOTAL = 65_536;
const MAX_NAME = 256;

export function boundFields(fields: Record<string, unknown>): Record<string, unknown> {
  const left = { characters: MAX_TOTAL };
  return bound(fields, left, 0) as Record<string, unknown>;
}

/**
 * The canonical JSON of fields that need no bounds and no escapes, as nearly all do: asked for each by itself, it takes twice as long.
 * Undefined where they may. `names`: all that there may be, sorted.
 */
export function plainJson(fields: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  return whollyPlain(plainObject(fields, names, 0));
}

/** Of such a text: what is known of it already, or the name of a field whose value is not. */
export type PlainPart = { text: string } | { name: string };

/** Undefined where what is known is not plain. `names`: as of `plainJson`. */
export function plainParts(
  known: Readonly<Record<string, unknown>>,
  names: readonly string[],
): PlainPart[] | undefined {
  const parts: PlainPart[] = [];
  for (const name of names) {
    const last = parts.at(-1);
    const text = plainIfSaid(name, known[name]);
    if (text === '') parts.push({ name });
    else if (last && 'text' in last) last.text += `,${text}`;
    else parts.push({ text });
  }
  const isPlain = names.length <= MAX_ITEMS && !parts.some((part) => 'text' in part && part.text.includes(UNLIKE));
  return isPlain ? parts : undefined;
}

/** What `plainJson` gives of all fields together. */
export function plainJoined(
  parts: readonly PlainPart[],
  others: Readonly<Record<string, unknown>>,
): string | undefined {
  let joined = '';
  for (const part of parts) {
    const text = 'text' in part ? part.text : plainIfSaid(part.name, others[part.name]);
    if (text !== '') joined += joined === '' ? text : `,${text}`;
  }
  return whollyPlain(`{${joined}}`);
}

function plainIfSaid(name: string, value: unknown): string {
  return value === undefined ? '' : plainField(name, value, 0);
}

function whollyPlain(text: string): string | undefined {
  return text.length <= MAX_TOTAL && !text.includes(UNLIKE) ? text : undefined;
}

/** No plain text has it. */
const UNLIKE = '\0';

function plainObject(fields: Readonly<Record<string, unknown>>, names: readonly string[], depth: number): string {
  if (names.length > MAX_ITEMS || depth >= MAX_DEPTH) return UNLIKE;
  let text = '';
  for (const name of names) {
    const inner = fields[name];
    if (inner !== undefined) text += `${text === '' ? '' : ','}${plainField(name, inner, depth)}`;
  }
  return `{${text}}`;
}

function plainField(name: string, value: unknown, depth: number): string {
  const quoted = name.length <= MAX_NAME ? quotedPlain(name) : undefined;
  return `${quoted ?? UNLIKE}:${plain(value, depth + 1)}`;
}

function plain(value: unknown, depth: number): string {
  if (typeof value === 'string') return (value.length <= MAX_TEXT ? quotedPlain(value) : undefined) ?? UNLIKE;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : UNLIKE;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null) return 'null';
  if (typeof value !== 'object' || depth >= MAX_DEPTH || value instanceof Date) return UNLIKE;
  if (!Array.isArray(value)) {
    const fields = value as Readonly<Record<string, unknown>>;
    return plainObject(fields, Object.keys(fields).sort(), depth);
  }
  return value.length > MAX_ITEMS ? UNLIKE : `[${value.map((item) => plain(item ?? null, depth + 1)).join(',')}]`;
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
    result[storable(name.slice(0, MAX_NAME))] = bound(inner, left, depth + 1);
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
