/** Finds and reads gatehouse.yaml, and knows on which line each key stands. */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { ConfigError, type Source } from './config-error.ts';

export const CONFIG_FILE_NAME = 'gatehouse.yaml';
const MAX_BYTES = 1024 * 1024;

export interface ConfigFile {
  file: string;
  /** Plain values; a key without a value is left out. */
  values: Record<string, unknown>;
  /** Whether somebody else on this machine can read it. */
  openToOthers: boolean;
  /** The place of a key's value, or of the key itself. */
  locate(path: readonly PropertyKey[], part: 'key' | 'value'): Source;
}

export interface WhereToLook {
  /** Named by flag or environment: it must exist. */
  named?: { file: string; source: Source };
  /** Folders where a file may lie; the first that has one is taken. */
  folders: readonly string[];
  cwd: string;
}

export function findConfigFile({ named, folders, cwd }: WhereToLook): ConfigFile | undefined {
  if (named) {
    const file = resolve(cwd, named.file);
    const read = readConfigFile(file, named.source);
    if (!read) throw new ConfigError([{ key: '', message: `there is no file ${file}`, source: named.source }]);
    return read;
  }
  for (const folder of folders) {
    const file = join(folder, CONFIG_FILE_NAME);
    const read = readConfigFile(file, { from: 'file', file, line: 1, column: 1 });
    if (read) return read;
  }
  return undefined;
}

/** Nothing when there is no such file. */
function readConfigFile(file: string, source: Source): ConfigFile | undefined {
  const bytes = readText(file, source);
  return bytes && parseConfigText(file, bytes.text, bytes.openToOthers);
}

export function parseConfigText(file: string, text: string, openToOthers = false): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): Source => {
    const { line, col } = lines.linePos(offset);
    return { from: 'file', file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (document.errors.length > 0) {
    throw new ConfigError(
      document.errors.map(({ message, pos }) => ({
        key: '',
        message: `not valid YAML: ${message}`,
        source: at(pos[0]),
      })),
    );
  }
  const root = document.contents;
  if (root !== null && !isMap(root) && !(isScalar(root) && root.value === null)) {
    throw new ConfigError([{ key: '', message: 'must hold keys and values', source: at(root.range?.[0] ?? 0) }]);
  }

  return {
    file,
    values: isMap(root) ? withoutNulls(toPlain(() => document.toJS(), at(0))) : {},
    openToOthers,
    locate(path, part) {
      let offset = 0;
      let node: unknown = root;
      for (const [index, step] of path.entries()) {
        const last = index === path.length - 1;
        if (isMap(node)) {
          const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
          if (!pair) break;
          const takesKey = last && part === 'key';
          const target = !takesKey && isNode(pair.value) && pair.value.range ? pair.value : pair.key;
          if (isNode(target) && target.range) offset = target.range[0];
          node = pair.value;
        } else if (isSeq(node)) {
          node = node.items[Number(step)];
          if (isNode(node) && node.range) offset = node.range[0];
        } else break;
      }
      return at(offset);
    },
  };
}

function readText(file: string, source: Source): { text: string; openToOthers: boolean } | undefined {
  try {
    const facts = statSync(file);
    if (!facts.isFile()) throw new ConfigError([{ key: '', message: `${file} is not a file`, source }]);
    if (facts.size > MAX_BYTES) throw new ConfigError([{ key: '', message: `${file} is larger than 1 MiB`, source }]);
    return { text: readFileSync(file, 'utf8'), openToOthers: (facts.mode & 0o044) !== 0 };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigError([{ key: '', message: `cannot read ${file} (${code || String(error)})`, source }]);
  }
}

function toPlain(read: () => unknown, source: Source): Record<string, unknown> {
  try {
    const values = read();
    return isPlainObject(values) ? values : {};
  } catch (error) {
    // An alias repeated until it fills the memory ends here.
    const reason = errorMessage(error);
    throw new ConfigError([{ key: '', message: `not valid YAML: ${reason}`, source }]);
  }
}

/** A section whose lines are all commented out reads as null: it was not given. */
function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [key, isPlainObject(value) ? withoutNulls(value) : value]),
  );
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
