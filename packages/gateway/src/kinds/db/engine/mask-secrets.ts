/** Takes passwords out of statements before anything of them is written. */
import { type Quoting, tokens } from '@gatehouse/contract/kinds/db/sql-tokens';

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

export function mayHoldSecret(statement: string): boolean {
  return /passw|identified|secret/i.test(statement);
}

export function maskSecrets(statement: string, quoting: Quoting): Masked {
  if (!mayHoldSecret(statement)) return { text: statement, hasSecret: false };
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
