/** Links an account as its person does: at the provider and back, in the browser that began. */
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import type { TestBrowser } from '../test-browser.ts';
import { ORIGIN, type SsoGateway, visit } from './sso-gateway.ts';

interface OwnLink {
  connector?: string;
  /** Who they are there. */
  account?: string;
  keep?: readonly string[];
  /** While they are at the provider. */
  meanwhile?: () => Promise<void>;
}

/** Gives the words, or the address, that it ends with. */
export async function linkOwn(
  { world }: Pick<SsoGateway, 'world'>,
  browser: TestBrowser,
  { connector = 'okta', account = 'ann', keep, meanwhile }: OwnLink = {},
): Promise<string> {
  const body = { connector, ...(keep ? { keep: [...keep] } : {}) };
  const { url } = await call(browser.send, identityRoutes.linkOwn, { body });
  world.signInAs(account);
  let at = (await world.follow(url, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  await meanwhile?.();
  while (at.startsWith('/v1/')) at = await visit(browser, at);
  return at;
}
