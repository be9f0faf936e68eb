/** Statements and their outcomes as items of a recording: JSON, with what is usual left out. Written by us, read as if by anybody. */
import { z } from 'zod';
import { wholeCount } from '../../../platform/std/whole-count.ts';
import type {
  AnsweredStatement,
  AskedStatement,
  ResultSample,
} from '../../../sessions/statements/statement-recorder.ts';

/** What engines keep of a text at most: no item is larger than a frame takes, however its characters are written. */
const MAX_TEXT_CHARACTERS = 1024 * 1024;

const count = z.number().int().min(0);

export const askedItem = z.object({
  n: count,
  what: z.string(),
  text: z.string(),
  length: count.optional(),
  sha256: z.string().optional(),
  cut: z.boolean().optional(),
  values: z.array(z.string()).optional(),
  backend: z.number().optional(),
});

export const answeredItem = z.object({
  n: count,
  ms: z.number().min(0),
  rows: count.default(0),
  bytes: count.default(0),
  tag: z.string().default(''),
  /** Only where it failed. */
  error: z.string().optional(),
  code: z.string().default(''),
});

export const sampleItem = z.object({
  n: count,
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string().nullable())),
  cut: z.boolean().default(false),
});

export function encodeAsked(n: number, { what, text, length, sha256, cut, values, backend }: AskedStatement): Buffer {
  const isLong = text.length > MAX_TEXT_CHARACTERS;
  return json({
    n,
    what,
    text: isLong ? text.slice(0, MAX_TEXT_CHARACTERS) : text,
    length,
    sha256,
    cut,
    values: values?.length ? values : undefined,
    backend,
  });
}

export function encodeAnswered(n: number, { ok, tag, code, error, rows, bytes, ms }: AnsweredStatement): Buffer {
  return json({
    n,
    ms: Math.max(0, Math.round(ms * 100) / 100),
    rows: wholeCount(rows) || undefined,
    bytes: wholeCount(bytes) || undefined,
    tag: tag || undefined,
    ...(ok ? {} : { error: error || 'it failed', code: code || undefined }),
  });
}

export function encodeSample(n: number, { columns, rows, isCut }: ResultSample): Buffer {
  return json({ n, columns, rows, cut: isCut || undefined });
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
