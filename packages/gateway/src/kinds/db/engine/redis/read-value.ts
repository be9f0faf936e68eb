/** One whole answer of a Redis server at a time, for the time before bytes are only passed on. */
import type { ByteSource } from '../byte-source.ts';
import { malformed } from '../db-failure.ts';

const MAX_LINE_BYTES = 4_096;
const MAX_TEXT_BYTES = 16 * 1024;
const MAX_VALUES = 256;
const MAX_DEPTH = 4;

/** A text, a number as it is written, or a list; an error only as the whole answer. */
export type Value = string | readonly Value[];
export type Answer = { error: string } | { value: Value };

export async function readAnswer(source: ByteSource, signal: AbortSignal): Promise<Answer> {
  const line = await readLine(source, signal);
  if (line.startsWith('-')) return { error: line.slice(1) };
  return { value: await readValue(source, signal, line, { left: MAX_VALUES }, 0) };
}

async function readValue(
  source: ByteSource,
  signal: AbortSignal,
  line: string,
  values: { left: number },
  depth: number,
): Promise<Value> {
  values.left -= 1;
  if (values.left < 0 || depth > MAX_DEPTH) throw malformed('it says more than it is asked for');
  const [type, rest] = [line.slice(0, 1), line.slice(1)];
  if (type === '+' || type === ':') return rest;
  const count = /^(?:0|-1|[1-9]\d{0,5})$/.test(rest) ? Number(rest) : Number.NaN;
  if (type === '$' && count <= MAX_TEXT_BYTES) {
    if (count < 0) return '';
    return (await source.take(count + 2, signal)).toString('utf8', 0, count);
  }
  if (type !== '*' || Number.isNaN(count)) throw malformed(`it answers with '${shown(line)}': is it Redis?`);
  const list: Value[] = [];
  for (let index = 0; index < count; index += 1)
    list.push(await readValue(source, signal, await readLine(source, signal), values, depth + 1));
  return list;
}

async function readLine(source: ByteSource, signal: AbortSignal): Promise<string> {
  const bytes: number[] = [];
  while (bytes.length < MAX_LINE_BYTES) {
    const [byte = 0] = await source.take(1, signal);
    if (byte === 0x0a && bytes.at(-1) === 0x0d) return Buffer.from(bytes.slice(0, -1)).toString('utf8');
    bytes.push(byte);
  }
  throw malformed('it answers with a line that does not end: is it Redis?');
}

function shown(line: string): string {
  return line.slice(0, 32).replaceAll(/[^ -~]/g, '?');
}
