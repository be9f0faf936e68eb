/** Takes passwords out of statements before anything of them is written. */

export interface Quoting {
  /** `\` begins an escape in texts between plain quotes: MySQL, and PostgreSQL with `standard_conforming_strings` off. */
  backslashes: boolean;
  /** Texts also stand between `"`, `#` begins a comment, and one that begins with `/*!` is run: MySQL. */
  isMysql: boolean;
}

export interface Masked {
  text: string;
  /** A hash of it would let the secret be guessed. */
  hasSecret: boolean;
}

const HIDDEN = "'***'";
/** Whatever is quoted after one of these, in the same statement, may be a secret. */
const SECRET_WORDS: ReadonlySet<string> = new Set(['password', 'passwd', 'identified', 'secret']);
/** Inside a text: a connection, or a statement that is run from it. */
const SECRET_INSIDE = /passw(?:or)?d|identified\s+by/i;

type Token = { what: 'word' | 'text' | 'end' | 'other'; from: number; to: number };

export function maskSecrets(statement: string, quoting: Quoting): Masked {
  if (!/passw|identified|secret/i.test(statement)) return { text: statement, hasSecret: false };
  let masked = '';
  let at = 0;
  let isAfterWord = false;
  let hasSecret = false;
  for (const { what, from, to } of tokens(statement, quoting)) {
    const text = statement.slice(from, to);
    if (what === 'end') isAfterWord = false;
    else if (what === 'word') isAfterWord ||= SECRET_WORDS.has(text.toLowerCase());
    else if (what === 'text' && (isAfterWord || SECRET_INSIDE.test(text))) {
      masked += statement.slice(at, from) + HIDDEN;
      at = to;
      hasSecret = true;
    }
  }
  return { text: masked + statement.slice(at), hasSecret };
}

const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const DOLLAR = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

function* tokens(statement: string, { backslashes, isMysql }: Quoting): Generator<Token> {
  let at = 0;
  while (at < statement.length) {
    const from = at;
    const character = statement[at] as string;
    const two = statement.slice(at, at + 2);
    if (two === '--' || (isMysql && character === '#')) {
      at = afterLine(statement, at);
      continue;
    }
    if (two === '/*' && !(isMysql && statement[at + 2] === '!')) {
      at = afterComment(statement, at);
      continue;
    }
    const word = matchAt(WORD, statement, at);
    const next = statement[at + (word?.length ?? 0)];
    if (word !== undefined && !(word.length === 1 && next === "'" && 'eEnNbBxX'.includes(word))) {
      at += word.length;
      yield { what: 'word', from, to: at };
      continue;
    }
    if (word !== undefined || character === "'") {
      const escapes = backslashes || word?.toLowerCase() === 'e';
      at = afterQuoted(statement, at + (word?.length ?? 0), escapes);
      yield { what: 'text', from, to: at };
      continue;
    }
    if (character === '"' || character === '`') {
      at = afterQuoted(statement, at, backslashes && character === '"');
      const isText = isMysql && character === '"';
      yield {
        what: isText ? 'text' : 'word',
        from: isText ? from : from + 1,
        to: isText ? at : Math.max(from + 1, at - 1),
      };
      continue;
    }
    const dollar = matchAt(DOLLAR, statement, at);
    if (dollar !== undefined) {
      const end = statement.indexOf(dollar, at + dollar.length);
      at = end < 0 ? statement.length : end + dollar.length;
      yield { what: 'text', from, to: at };
      continue;
    }
    at += 1;
    yield { what: character === ';' ? 'end' : 'other', from, to: at };
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function afterLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** They stand inside each other in PostgreSQL; where they do not, more is taken for a comment than is one, which hides nothing. */
function afterComment(text: string, at: number): number {
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? text.length : end + 2;
}

/** A text that is cut off goes on to the end. */
function afterQuoted(text: string, from: number, escapes: boolean): number {
  const quote = text[from] as string;
  let at = from + 1;
  while (at < text.length) {
    if (escapes && text[at] === '\\') at += 2;
    else if (text[at] !== quote) at += 1;
    else if (text[at + 1] === quote) at += 2;
    else return at + 1;
  }
  return text.length;
}
