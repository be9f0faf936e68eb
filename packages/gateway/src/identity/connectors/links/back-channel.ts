/** A provider says that somebody has signed out there: what stands on it ends within moments, here and on every other gateway. */
import { AppError } from '../../../platform/std/app-error.ts';
import type { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { type ConnectorDeps, openConnector } from '../connector-deps.ts';
import { readLogoutToken } from '../providers/oidc/logout-token.ts';
import { isMeantFor, readUnproven } from '../providers/oidc/unproven-token.ts';
import type { OpenConnector } from '../providers/provider.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { findConnector } from '../stores/connector-store.ts';
import { holdLogouts, keepLogout } from '../stores/logout-store.ts';
import { endIdentity, tellEnded } from './end-identities.ts';

export interface BackChannelDeps extends ConnectorDeps {
  /** Tokens that were taken, until they run out. Ending twice ends nothing, so each gateway keeps its own. */
  logoutTokens: BoundedMap<string, number>;
}

export async function endByLogoutToken(deps: BackChannelDeps, name: string, token: string): Promise<void> {
  const { db, now, audit, logoutTokens } = deps;
  const claimed = readUnproven(token);
  if (!claimed) throw noLogoutToken();
  const stored = await findConnector(db, name);
  if (stored?.kind !== 'oidc' || !stored.enabled) throw noLogoutToken();
  const connector = openConnector(deps, stored) as OpenConnector<'oidc'>;
  if (!isMeantFor(claimed, connector.document.spec)) throw noLogoutToken();
  const { subject, providerSession, jti, expires } = await readLogoutToken(
    deps.asking(connector),
    connector,
    token,
  ).catch((error: unknown) => {
    throw error instanceof ProviderError || error instanceof AppError ? noLogoutToken(error) : error;
  });
  const known = logoutTokens.get(`${name}\n${jti}`);
  // Heard before, and done: a provider that did not hear our answer must not take it for a failure.
  if (known !== undefined && known > now()) return;
  if (subject === undefined && providerSession === undefined) return;
  const which = {
    connector: name,
    ...(subject === undefined ? {} : { subject }),
    ...(providerSession === undefined ? {} : { providerSession }),
  };
  await db.transaction().execute(async (tx) => {
    await holdLogouts(tx, name, 'alone');
    await keepLogout(tx, { connector: name, subject, providerSession }, now());
    const ended = await endIdentity(tx, which, now());
    await tellEnded(tx, audit, { connector: name, subject, reason: 'they signed out at the provider', ended });
  });
  // Not before it is done: the provider sends it again where it was not.
  logoutTokens.set(`${name}\n${jti}`, expires);
}

/** Whatever is wrong: what a stranger sends is answered with nothing that helps to send better, nor that tells which connectors there are. */
function noLogoutToken(cause?: unknown): AppError {
  return new AppError('bad_request', 'this is no logout token', { cause });
}
