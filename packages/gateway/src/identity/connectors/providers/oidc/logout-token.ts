/** Reads what an OpenID provider sends when somebody signs out there (back-channel logout 1.0). Anybody may send one. */
import { z } from 'zod';
import type { OpenConnector, ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { discover } from './discover.ts';
import { oidcTrouble } from './oidc-trouble.ts';
import { SKEW_SECONDS } from './open-client.ts';
import { MAX_AGE_SECONDS, readSignedToken } from './signed-token.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Providers from before the final text leave the type out. */
const TYPES = new Set(['logout+jwt', 'application/logout+jwt', 'jwt']);

const logoutClaims = z.object({
  jti: z.string().min(1).max(512),
  iat: z.number(),
  sub: z.string().min(1).max(255).optional(),
  sid: z.string().min(1).max(512).optional(),
  events: z.looseObject({ [EVENT]: z.looseObject({}) }),
  // With it, it would be an ID token somebody got by signing in.
  nonce: z.never().optional(),
});

export interface LogoutToken {
  subject?: string | undefined;
  providerSession?: string | undefined;
  jti: string;
  /** Until when it could be sent again: its `jti` is remembered so long. */
  expires: number;
}

export async function readLogoutToken(
  deps: ProviderDeps,
  { document }: OpenConnector<'oidc'>,
  token: string,
): Promise<LogoutToken> {
  const { issuer_url, client_id } = document.spec;
  const recall = deps.recall.sparing;
  const { settings } = await discover(recall, issuer_url);
  const { payload, header } = await readSignedToken({ recall, now: deps.now }, settings, token, {
    audience: client_id,
    requiredClaims: ['iat', 'jti', 'events'],
  }).catch((error: unknown) => {
    throw oidcTrouble('token', error);
  });
  if (header.typ !== undefined && !TYPES.has(header.typ.toLowerCase()))
    throw new ProviderError('token', 'what the provider sent is not a logout token');
  const parsed = logoutClaims.safeParse(payload);
  if (!parsed.success) throw new ProviderError('token', 'what the provider sent is not a logout token');
  const { jti, iat, sub, sid } = parsed.data;
  if (sub === undefined && sid === undefined)
    throw new ProviderError('token', 'the logout token names neither a person nor a session');
  return { subject: sub, providerSession: sid, jti, expires: (iat + MAX_AGE_SECONDS + SKEW_SECONDS) * 1000 };
}
