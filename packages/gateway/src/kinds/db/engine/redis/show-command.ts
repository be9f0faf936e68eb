/** A command as redis-cli shows it, without its secrets. */
import { KEPT_TEXT_BYTES, type StatementText } from '../statement.ts';
import type { KeptWords } from './kept-words.ts';

const HIDDEN = '***';
/** Settings whose value is a secret: `requirepass`, `masterauth`, `tls-key-file-pass`, `auth-pass`. */
const SECRET_SETTING = /PASS|MASTERAUTH|SECRET/;
const ACL_SECRETS = '><#!';
const MAX_NAME_CHARACTERS = 64;

export interface ShownCommand {
  /** In capitals. */
  name: string;
  query: StatementText;
  /** Something of it was hidden: then an error may repeat it. */
  hasSecret: boolean;
}

/** Which of its words are secrets. */
type Secrets = (words: KeptWords, index: number) => 'whole' | 'behind sign' | undefined;

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
      return ACL_SECRETS.includes(words.at(index).toString('latin1', 0, 1)) ? 'behind sign' : undefined;
    },
  ],
  ['CONFIG', settings],
  ['SENTINEL', settings],
  ['MODULE', settings],
]);

export function showCommand(words: KeptWords, bytes: number): ShownCommand {
  const name = upperAt(words, 0).slice(0, MAX_NAME_CHARACTERS);
  const secrets = WITH_SECRETS.get(name);
  let text = '';
  let hasSecret = false;
  let isCut = words.isCut;
  for (let index = 0; index < words.length; index += 1) {
    if (text.length >= KEPT_TEXT_BYTES) {
      isCut = true;
      break;
    }
    const hidden = secrets?.(words, index);
    hasSecret ||= hidden !== undefined;
    text += `${index === 0 ? '' : ' '}"${hidden === undefined ? escaped(words.at(index), text.length) : hide(words.at(index), hidden)}"`;
  }
  // Whether the rest of it is a secret is told by what stands before, which may not be all.
  if (words.isCut && !secrets) text += `${text === '' ? '' : ' '}"${escaped(words.rest, text.length)}`;
  isCut ||= text.length > KEPT_TEXT_BYTES;
  const query = { text: text.slice(0, KEPT_TEXT_BYTES), length: bytes };
  return { name, query: isCut && !secrets ? { ...query, sha256: words.sha256() } : query, hasSecret };
}

/** Of an error in words: `Error in ACL SETUSER modifier '<password'`. */
export function hideQuoted(error: string): string {
  return error.replace(/'.*'/s, `'${HIDDEN}'`);
}

function settings(words: KeptWords, index: number): 'whole' | undefined {
  return index > 2 && SECRET_SETTING.test(upperAt(words, index - 1)) ? 'whole' : undefined;
}

function isBehind(words: KeptWords, index: number, option: string, count: number): boolean {
  for (let back = 1; back <= count && index - back > 0; back += 1)
    if (upperAt(words, index - back) === option) return true;
  return false;
}

function upperAt(words: KeptWords, index: number): string {
  return index < words.length ? words.at(index).toString('latin1', 0, 256).toUpperCase() : '';
}

function hide(word: Buffer, how: 'whole' | 'behind sign'): string {
  return how === 'whole' ? HIDDEN : `${word.toString('latin1', 0, 1)}${HIDDEN}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;
const NOT_PLAIN = /[^ !#-[\]-~]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x07': '\\a',
  '\b': '\\b',
};

/** No more of it than there is room for: escaped, it may be four times as long. */
function escaped(word: Buffer, before: number): string {
  const text = word.toString('latin1', 0, Math.min(word.length, KEPT_TEXT_BYTES - before + 1));
  if (PLAIN.test(text)) return text;
  return text.replaceAll(NOT_PLAIN, (each) => ESCAPES[each] ?? `\\x${hex(each)}`);
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}
