/** A command as redis-cli shows it, without its secrets. */
import { KEPT_TEXT_BYTES, type StatementText } from '../statement.ts';
import type { KeptWords } from './kept-words.ts';

const HIDDEN = '***';
/** Settings whose value is a secret: `requirepass`, `masterauth`, `tls-key-file-pass`, `auth-pass`. */
const SECRET_SETTING = /PASS|MASTERAUTH|SECRET/;
const MAX_NAME_CHARACTERS = 64;
const MAX_OPTION_CHARACTERS = 256;

export interface ShownCommand {
  /** In capitals. */
  name: string;
  query: StatementText;
  /** Something of it was hidden: then an error may repeat it. */
  hasSecret: boolean;
  /** Its answer may hold a secret: passwords of users, settings, or what others asked. */
  asksForSecrets: boolean;
}

/** Which of its words are secrets; a character of them stands for a byte. */
type Secrets = (words: readonly string[], index: number) => 'whole' | 'behind sign' | undefined;

/** A command whose name is here is told without a hash, which would let the secret be guessed. */
const WITH_SECRETS: ReadonlyMap<string, Secrets> = new Map<string, Secrets>([
  ['AUTH', (_words, index) => (index > 0 ? 'whole' : undefined)],
  ['HELLO', (words, index) => (isBehind(words, index, 'AUTH', 2) ? 'whole' : undefined)],
  [
    'MIGRATE',
    (words, index) => (isBehind(words, index, 'AUTH', 1) || isBehind(words, index, 'AUTH2', 2) ? 'whole' : undefined),
  ],
  [
    'ACL',
    (words, index) => {
      if (index < 2 || upperAt(words, 1) !== 'SETUSER') return undefined;
      return /(?:^|[\s(])[><#!]/.test(words[index] ?? '') ? 'behind sign' : undefined;
    },
  ],
  ['CONFIG', settings],
  ['SENTINEL', settings],
  ['MODULE', settings],
]);

/** Of what the server did lately, with the words of others; older ones do not hide passwords in it. */
const SHOWS_OTHERS = 'SLOWLOG';

export function showCommand(words: KeptWords, bytes: number): ShownCommand {
  const texts = words.texts();
  const name = upperAt(texts, 0).slice(0, MAX_NAME_CHARACTERS);
  const secrets = WITH_SECRETS.get(name);
  let text = '';
  let hasSecret = false;
  for (let index = 0; index < texts.length && text.length <= KEPT_TEXT_BYTES; index += 1) {
    const hidden = secrets?.(texts, index);
    hasSecret ||= hidden !== undefined;
    const word = texts[index] as string;
    text += `${index === 0 ? '' : ' '}"${hidden === undefined ? escaped(word, text.length) : hide(word, hidden)}"`;
  }
  // Whether the rest of it is a secret is told by what stands before, which may not be all.
  if (words.isCut && !secrets)
    text += `${text === '' ? '' : ' '}"${escaped(words.rest.toString('latin1'), text.length)}`;
  const isCut = words.isCut || text.length > KEPT_TEXT_BYTES;
  const query = { text: isCut ? text.slice(0, KEPT_TEXT_BYTES) : text, length: bytes };
  return {
    name,
    query: isCut && !secrets ? { ...query, sha256: words.sha256() } : query,
    hasSecret,
    // Whatever else is said: `CONFIG GET *` names no secret.
    asksForSecrets: secrets !== undefined || name === SHOWS_OTHERS,
  };
}

/** Of an error in words: `Error in ACL SETUSER modifier '<password'`. */
export function hideQuoted(error: string): string {
  return error.replace(/'.*'/s, `'${HIDDEN}'`);
}

function settings(words: readonly string[], index: number): 'whole' | undefined {
  return index > 2 && SECRET_SETTING.test(upperAt(words, index - 1)) ? 'whole' : undefined;
}

function isBehind(words: readonly string[], index: number, option: string, count: number): boolean {
  for (let back = 1; back <= count && index - back > 0; back += 1)
    if (upperAt(words, index - back) === option) return true;
  return false;
}

function upperAt(words: readonly string[], index: number): string {
  return (words[index] ?? '').slice(0, MAX_OPTION_CHARACTERS).toUpperCase();
}

function hide(word: string, how: 'whole' | 'behind sign'): string {
  return how === 'whole' ? HIDDEN : `${word.slice(0, 1)}${HIDDEN}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;
const SHORT_FORMS: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x07': '\\a',
  '\b': '\\b',
};
/** By its byte. */
const SHOWN = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (PLAIN.test(character)) return character;
  return SHORT_FORMS[character] ?? `\\x${byte.toString(16).padStart(2, '0')}`;
});
const MAX_UTF8_BYTES = 4;

/** No more of it than there is room for: escaped, it may be four times as long. */
function escaped(word: string, before: number): string {
  const room = KEPT_TEXT_BYTES - before + 1;
  const text = word.slice(0, room);
  if (PLAIN.test(text)) return text;
  // Bytes in one piece: texts put together by a million take so long that others wait.
  const bytes = Buffer.allocUnsafe(Math.min(MAX_UTF8_BYTES * text.length, room + MAX_UTF8_BYTES));
  let size = 0;
  for (let index = 0; index < text.length && size < room; index += 1) {
    const shown = SHOWN[text.charCodeAt(index)] as string;
    for (let at = 0; at < shown.length; at += 1) bytes[size + at] = shown.charCodeAt(at);
    size += shown.length;
  }
  return bytes.toString('latin1', 0, size);
}
