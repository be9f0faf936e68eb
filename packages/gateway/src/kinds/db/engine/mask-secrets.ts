/** Takes passwords out of statements before anything of them is written. */
import type { Token } from '@gatehouse/contract/kinds/db/sql-token';
import { type Quoting, tokens } from '@gatehouse/contract/kinds/db/sql-tokens';

export interface Masked {
  text: string;
  /** A hash of it would let the secret be guessed. */
  hasSecret: boolean;
}

const HIDDEN = "'***'";
/** Whatever is quoted after one of these, in the same statement, may be a secret: `password`, `MASTER_PASSWORD`. */
const SECRET_WORD = /(?:passw(?:or)?d|identified|secret)$/i;
/** Inside a text: a connection, or a statement that is run from it. */
const SECRET_INSIDE = /passw(?:or)?d|identified\s+by/i;

export function mayHoldSecret(statement: string): boolean {
  return /passw|identified|secret/i.test(statement);
}

/** Of an error about a statement that holds a secret: servers repeat what they could not read, between quotes. */
export function hideRepeated(error: string): string {
  return error.replace(/'.*'/s, HIDDEN).replace(/".*"/s, HIDDEN);
}

/** Whether something was taken out of it. */
export function isMasked(statement: string): boolean {
  return statement.includes(HIDDEN);
}

/** `quoting`: how a statement is taken apart, or what does that where the protocol has its own way. */
export function maskSecrets(statement: string, quoting: Quoting | ((text: string) => Iterable<Token>)): Masked {
  if (!mayHoldSecret(statement)) return { text: statement, hasSecret: false };
  let masked = '';
  let at = 0;
  let isAfterWord = false;
  let hasSecret = false;
  for (const { what, from, to } of typeof quoting === 'function' ? quoting(statement) : tokens(statement, quoting)) {
    const text = statement.slice(from, to);
    if (what === 'end') isAfterWord = false;
    else if (what === 'word') isAfterWord ||= SECRET_WORD.test(text);
    else if (what === 'text' && (isAfterWord || SECRET_INSIDE.test(text))) {
      masked += statement.slice(at, from) + HIDDEN;
      at = to;
      hasSecret = true;
    }
  }
  return { text: masked + statement.slice(at), hasSecret };
}
