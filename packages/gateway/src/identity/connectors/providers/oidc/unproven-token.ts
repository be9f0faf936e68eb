/** What a token says of itself, before its signature is looked at: enough to refuse it, never to believe it. */
import { z } from 'zod';
import { ALGORITHMS } from './discover.ts';

const header = z.object({ alg: z.enum(ALGORITHMS) });
const claims = z.object({ iss: z.string(), aud: z.union([z.string(), z.array(z.string())]) });
export type UnprovenClaims = z.output<typeof claims>;

/** Nothing for what could not be a token, whoever had signed it. */
export function readUnproven(token: string): UnprovenClaims | undefined {
  const [head, body, signature, more] = token.split('.', 4);
  if (!head || !body || !signature || more !== undefined) return undefined;
  if (!header.safeParse(partOf(head)).success) return undefined;
  const read = claims.safeParse(partOf(body));
  return read.success ? read.data : undefined;
}

/** What names another issuer or client is not worth asking the provider for its keys. */
export function isMeantFor(
  { iss, aud }: UnprovenClaims,
  { issuer_url, client_id }: { issuer_url: string; client_id: string },
): boolean {
  return iss === issuer_url && [aud].flat().includes(client_id);
}

function partOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
