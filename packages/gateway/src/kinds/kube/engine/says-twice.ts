/** Whether JSON says a field twice: servers put two objects under one name together, and whoever parses it here would see the last of them alone. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** `parsed`: what came of the same text. */
export function saysTwice(text: Buffer, parsed: unknown): boolean {
  return keysWritten(text) !== keysRead(parsed);
}

/** Outside of texts there is a colon behind each key, and nowhere else. */
function keysWritten(text: Buffer): number {
  let count = 0;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) at += 1;
    else if (!isText && byte === COLON) count += 1;
  }
  return count;
}

function keysRead(parsed: unknown): number {
  let count = 0;
  const left = [parsed];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inside: unknown[] = Object.values(value);
    if (!Array.isArray(value)) count += inside.length;
    for (const each of inside) left.push(each);
  }
  return count;
}
