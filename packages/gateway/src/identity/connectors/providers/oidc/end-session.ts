/** Where a browser goes to sign out at an OpenID provider too. */
import type { OpenConnector, ProviderDeps } from '../provider.ts';
import { openClient } from './open-client.ts';

/** Undefined where the provider has no such page. It asks them there whether they mean it: we keep no ID token to prove who they are. */
export async function endSessionUrl(
  deps: ProviderDeps,
  connector: OpenConnector<'oidc'>,
  { returnTo }: { returnTo?: string | undefined } = {},
): Promise<string | undefined> {
  const { openid, config, settings } = await openClient(deps, connector);
  if (settings.end_session_endpoint === undefined) return undefined;
  return openid.buildEndSessionUrl(config, returnTo === undefined ? {} : { post_logout_redirect_uri: returnTo }).href;
}
