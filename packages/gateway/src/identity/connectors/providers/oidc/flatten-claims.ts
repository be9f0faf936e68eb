/** What an OpenID provider says of somebody, as names with values. The names and the values may be anybody's, also the person's own. */
import { ProviderError } from '../provider-error.ts';
import { printable } from './oidc-trouble.ts';

const MAX_CLAIMS = 500;
const MAX_CHARACTERS = 1024 * 1024;
const MAX_DEPTH = 5;
/** Of a name with its path, as long as any mapping can name. A long path in front of many names is far more text than was sent. */
const MAX_NAME_CHARACTERS = 256;

/** About the token and not about the person; those of sources hold tokens of their own. */
const NOT_CLAIMS = new Set(
  ['nonce', 'at_hash', 'c_hash', 's_hash', 'iat', 'exp', 'nbf', 'jti', 'sid', 'auth_time', 'rt_hash'].concat([
    '_claim_names',
    '_claim_sources',
  ]),
);

export interface FlatClaims {
  claims: Map<string, readonly string[]>;
  notes: string[];
}

/**
 * Where two sources have a claim, the earlier one's is taken. What lies deeper is called by its path: `realm_access.roles`. A claim that is
 * really called so stands before that, and a name with a dot inside of another claim is left out: it could be taken for a path.
 */
export function flattenClaims(sources: readonly object[]): FlatClaims {
  const claims = new Map<string, readonly string[]>();
  /** How many, and the first of them. */
  const leftOut = { count: 0, first: '' };
  const leave = (name: string) => {
    if (leftOut.count === 0) leftOut.first = name;
    leftOut.count++;
  };
  let characters = 0;

  const put = (name: string, values: readonly string[]) => {
    if (claims.has(name)) return;
    if (claims.size >= MAX_CLAIMS) return leave(name);
    characters = values.reduce((sum, value) => sum + value.length, characters + name.length);
    if (characters > MAX_CHARACTERS)
      throw new ProviderError('identity', 'the provider sends more than 1 MiB of claims for them');
    claims.set(name, values);
  };
  const putBelow = (path: string, value: object, depth: number) => {
    for (const [key, inner] of Object.entries(value)) {
      const name = `${path}.${key}`;
      if (key === '' || key.includes('.') || name.length > MAX_NAME_CHARACTERS) leave(name);
      else if (isBranch(inner) && depth < MAX_DEPTH) putBelow(name, inner, depth + 1);
      else put(name, valuesOf(inner));
    }
  };

  const sent = sources.flatMap((source) => Object.entries(source)).filter(([name]) => isClaim(name));
  const named = sent.filter(([name]) => name.length <= MAX_NAME_CHARACTERS);
  for (const [name] of sent) if (name.length > MAX_NAME_CHARACTERS) leave(name);
  for (const [name, value] of named) if (!isBranch(value)) put(name, valuesOf(value));
  for (const [name, value] of named) if (isBranch(value)) putBelow(name, value, 1);
  return { claims, notes: [...leftOutWords(leftOut), ...overageWords(sources, claims)] };
}

function isClaim(name: string): boolean {
  return name !== '' && !NOT_CLAIMS.has(name);
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valuesOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap(textOf);
}

/** No store takes a NUL or half a character. */
function textOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const text = typeof value === 'object' ? jsonOf(value) : String(value);
  return text === undefined || text.includes('\0') ? [] : [text.toWellFormed()];
}

/** Undefined where it is nested deeper than the stack: reading such a text takes none, writing it does. */
function jsonOf(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function leftOutWords({ count, first }: { count: number; first: string }): string[] {
  if (count === 0) return [];
  return [
    `${count} claims were left out, '${printable(first)}' among them: a name has a dot or is too long, or they are too many`,
  ];
}

/** Providers with many groups say where to fetch them instead; that is somewhere else, with other rights. */
function overageWords(sources: readonly object[], claims: ReadonlyMap<string, unknown>): string[] {
  const elsewhere = new Set(
    sources.flatMap((source) =>
      '_claim_names' in source && isBranch(source._claim_names) ? Object.keys(source._claim_names) : [],
    ),
  );
  return [...elsewhere]
    .filter((name) => !claims.has(name))
    .slice(0, 10)
    .map((name) =>
      name === 'groups'
        ? 'the provider left out the groups: there are more than 200'
        : `the provider left out '${printable(name)}': it says to fetch it elsewhere, which is not done`,
    );
}
