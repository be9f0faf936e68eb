/** What a recheck at an OpenID provider needs, as the text that is sealed with an identity. */
import { z } from 'zod';
import type { Claims } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';

const keptTokens = z.object({
  refresh: z.string().min(1),
  subject: z.string().min(1),
  /** Claims of the ID token that are nowhere else: not every provider renews it. */
  held: z.array(z.tuple([z.string(), z.array(z.string())])),
});
export interface KeptTokens {
  refresh: string;
  subject: string;
  held: Claims;
}

export function writeTokens({ refresh, subject, held }: KeptTokens): string {
  return JSON.stringify({ refresh, subject, held: [...held] });
}

export function readTokens(text: string): KeptTokens {
  const parsed = keptTokens.safeParse(parse(text));
  if (!parsed.success) throw new ProviderError('token', 'what was kept to ask the provider with cannot be read');
  return { ...parsed.data, held: new Map(parsed.data.held) };
}

/** What the ID token said then would be taken for what the provider says next, and give back what was lost since. */
export function withClaims(text: string, claims: Claims): string {
  const parsed = keptTokens.safeParse(parse(text));
  if (!parsed.success) return text;
  const held = parsed.data.held.flatMap(([name]) => {
    const values = claims.get(name);
    return values ? [[name, values] as const] : [];
  });
  return writeTokens({ ...parsed.data, held: new Map(held) });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
