/** The JSON of an event for reading: bounded in length and depth, with nothing invisible in it. */
import { visibleJson } from '../std/visible-json.ts';
import { cutText } from '../std/visible-text.ts';

export interface RawJson {
  text: string;
  /** Something was too long or too deep to be shown. */
  cut: boolean;
}

interface RawJsonLimits {
  /** Spaces per level; 0 gives one line. */
  indent?: number;
  maxLength?: number;
}

const MAX_DEPTH = 24;
const MAX_STRING = 10_000;
const MAX_LENGTH = 200_000;

/** Never throws: what cannot be read is said to be unreadable in its place. */
export function rawJson(value: unknown, { indent = 2, maxLength = MAX_LENGTH }: RawJsonLimits = {}): RawJson {
  const writing: Writing = { left: maxLength, cut: false, indent };
  const text = write(value, 0, writing);
  return { text: cutText(text, maxLength), cut: writing.cut || text.length > maxLength };
}

interface Writing {
  left: number;
  cut: boolean;
  indent: number;
}

function write(value: unknown, depth: number, writing: Writing): string {
  try {
    if (typeof value === 'string') return writeString(value, writing);
    if (typeof value !== 'object' || value === null) return spend(writing, writeScalar(value));
    if (depth >= MAX_DEPTH) return skipped(writing);
    return Array.isArray(value) ? writeList(value, depth, writing) : writeObject(value, depth, writing);
  } catch {
    return skipped(writing);
  }
}

function writeString(value: string, writing: Writing): string {
  const shown = cutText(value, Math.max(1, Math.min(MAX_STRING, writing.left)));
  if (shown !== value) writing.cut = true;
  return spend(writing, visibleJson(shown));
}

function writeScalar(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null');
}

function writeList(list: readonly unknown[], depth: number, writing: Writing): string {
  const items: string[] = [];
  for (const item of list) {
    if (writing.left <= 0) {
      items.push(skipped(writing));
      break;
    }
    items.push(write(item, depth + 1, writing));
  }
  return between('[', items, ']', depth, writing);
}

function writeObject(value: object, depth: number, writing: Writing): string {
  const items: string[] = [];
  for (const key of Object.keys(value)) {
    if (writing.left <= 0) {
      items.push(skipped(writing));
      break;
    }
    const name = writeString(key, writing);
    items.push(`${name}:${writing.indent ? ' ' : ''}${write(readKey(value, key), depth + 1, writing)}`);
  }
  return between('{', items, '}', depth, writing);
}

/** A getter may throw; its neighbours are still shown. */
function readKey(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return '(unreadable)';
  }
}

function between(open: string, items: string[], close: string, depth: number, { indent }: Writing): string {
  if (items.length === 0) return open + close;
  if (indent === 0) return open + items.join(',') + close;
  const margin = ' '.repeat(indent * (depth + 1));
  return `${open}\n${items.map((item) => margin + item).join(',\n')}\n${' '.repeat(indent * depth)}${close}`;
}

function spend(writing: Writing, text: string): string {
  writing.left -= text.length;
  return text;
}

function skipped(writing: Writing): string {
  writing.cut = true;
  return spend(writing, '"…"');
}
