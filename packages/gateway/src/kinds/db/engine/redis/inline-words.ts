/** The words of a command that was typed as a line, cut as the server cuts them. */

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d]);
const [QUOTE, APOSTROPHE, BACKSLASH] = [0x22, 0x27, 0x5c];
const ESCAPES: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, b: 0x08, a: 0x07 };

/** Undefined where a quote does not end, or something other than a space stands behind it. */
export function inlineWords(line: Buffer): readonly Buffer[] | undefined {
  const words: Buffer[] = [];
  let at = 0;
  for (;;) {
    while (isSpace(line, at)) at += 1;
    if (at >= line.length) return words;
    const bytes: number[] = [];
    while (at < line.length && !isSpace(line, at)) {
      const byte = line[at] as number;
      if (byte !== QUOTE && byte !== APOSTROPHE) {
        bytes.push(byte);
        at += 1;
        continue;
      }
      const end = byte === QUOTE ? takeQuoted(line, at + 1, bytes) : takePlain(line, at + 1, bytes);
      if (end === undefined || (end < line.length && !isSpace(line, end))) return undefined;
      at = end;
    }
    words.push(Buffer.from(bytes));
  }
}

function isSpace(line: Buffer, at: number): boolean {
  return at < line.length && SPACE.has(line[at] as number);
}

/** Between `"`: `\n`, `\xff`, and whatever else stands behind a `\` for itself. */
function takeQuoted(line: Buffer, from: number, bytes: number[]): number | undefined {
  let at = from;
  while (at < line.length) {
    const byte = line[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH || at + 1 >= line.length) {
      bytes.push(byte);
      at += 1;
      continue;
    }
    const hex = /^\\x([0-9a-f]{2})$/i.exec(line.toString('latin1', at, at + 4))?.[1];
    const next = line[at + 1] as number;
    bytes.push(hex === undefined ? (ESCAPES[String.fromCharCode(next)] ?? next) : Number.parseInt(hex, 16));
    at += hex === undefined ? 2 : 4;
  }
  return undefined;
}

/** Between `'`: only `\'` is something else than it looks. */
function takePlain(line: Buffer, from: number, bytes: number[]): number | undefined {
  let at = from;
  while (at < line.length) {
    const byte = line[at] as number;
    if (byte === APOSTROPHE) return at + 1;
    const isEscaped = byte === BACKSLASH && line[at + 1] === APOSTROPHE;
    bytes.push(isEscaped ? APOSTROPHE : byte);
    at += isEscaped ? 2 : 1;
  }
  return undefined;
}
