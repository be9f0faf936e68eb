/** What a new password must be, and a rough idea of how hard it is to guess. */
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_BYTES } from '@gatehouse/contract/identity/password-limits';

export type PasswordProblem = 'short' | 'long';

export function passwordProblem(password: string): PasswordProblem | undefined {
  const { length } = new TextEncoder().encode(password);
  if (length < MIN_PASSWORD_BYTES) return 'short';
  return length > MAX_PASSWORD_BYTES ? 'long' : undefined;
}

export const STRENGTHS = ['weak', 'fair', 'good', 'strong'] as const;
export type Strength = (typeof STRENGTHS)[number];

/** Bits from which on each strength begins: a guess from the outside, where the gateway slows every attempt down. */
const BITS: readonly [number, Strength][] = [
  [75, 'strong'],
  [56, 'good'],
  [38, 'fair'],
];

/** Only a hint: it knows no dictionary beyond the few words everybody tries first. */
export function passwordStrength(password: string, userName: string): Strength {
  const bits = guessBits(password, userName);
  return BITS.find(([from]) => bits >= from)?.[1] ?? 'weak';
}

const KINDS: readonly [RegExp, number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[ -/:-@[-`{-~]/, 33],
  [/[^ -~]/, 100],
];
const FIRST_GUESSES =
  /pass(word|wort)?|qwert[yz]?|letmein|welcome|admin|gatehouse|iloveyou|monkey|dragon|summer|winter/gi;

function guessBits(password: string, userName: string): number {
  const alphabet = KINDS.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0);
  const own = userName.length > 2 ? password.toLowerCase().replaceAll(userName.toLowerCase(), '*') : password;
  // A word everybody tries counts as one character, and so does a run such as "aaaa" or "1234".
  const rest = withoutRuns(own.replace(FIRST_GUESSES, '*'));
  return rest.length * Math.log2(Math.max(alphabet, 2));
}

function withoutRuns(text: string): string {
  let kept = '';
  for (const [index, character] of [...text].entries()) {
    const step = character.charCodeAt(0) - text.charCodeAt(index - 1);
    const before = text.charCodeAt(index - 1) - text.charCodeAt(index - 2);
    if (index < 2 || step !== before || Math.abs(step) > 1) kept += character;
  }
  return kept;
}
