/** Words of commands as they are typed, and answers as redis-cli shows them. */
import type { RedisText, RedisValue } from '@gatehouse/contract/kinds/db/editor';

const BARE = /^[A-Za-z0-9_:.@/+*-]+$/;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' };

/** What is shown of a name or a value: a text where it is one, else its bytes. */
export function shownText(text: RedisText): string {
  if (typeof text === 'string') return text;
  return Array.from(bytesOf(text), (byte) => escapedByte(byte)).join('');
}

/** One word of a command line, whatever is in it. */
export function quoted(text: RedisText): string {
  if (typeof text === 'string' && BARE.test(text)) return text;
  return `"${Array.from(bytesOf(text), escapedByte).join('')}"`;
}

export function commandLine(...words: readonly RedisText[]): string {
  return words.map(quoted).join(' ');
}

function bytesOf(text: RedisText): Uint8Array {
  if (typeof text === 'string') return new TextEncoder().encode(text);
  return Uint8Array.from(atob(text.base64), (character) => character.charCodeAt(0));
}

function escapedByte(byte: number): string {
  const character = String.fromCharCode(byte);
  const short = SHORT[character];
  if (short !== undefined) return short;
  return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** Values inside lists stand behind their numbers. */
export function shownValue(value: RedisValue, indent = ''): string {
  switch (value.is) {
    case 'status':
      return value.value;
    case 'error':
      return `(error) ${value.value}`;
    case 'number':
      return `(integer) ${value.value}`;
    case 'null':
      return '(nil)';
    case 'text':
      return `"${Array.from(shownText(value.value), (each) => (each === '"' ? '\\"' : (SHORT[each] ?? each))).join('')}"`;
    case 'list':
    case 'map': {
      if (value.values.length === 0) return '(empty array)';
      const width = String(value.values.length).length;
      return value.values
        .map((each, index) => {
          const head = `${String(index + 1).padStart(width)}) `;
          return `${index === 0 ? '' : indent}${head}${shownValue(each, indent + ' '.repeat(head.length))}`;
        })
        .join('\n');
    }
    default:
      return value satisfies never;
  }
}
