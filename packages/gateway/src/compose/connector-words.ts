/** What the login page draws sign-in providers with: nothing where there is none, it is sent to everybody. */
import type { OfferedConnector } from '../identity/connectors/manage/offered-connectors.ts';

export function connectorWords(offered: readonly OfferedConnector[]) {
  if (offered.length === 0) return {};
  const connectors = offered.map(({ provider: { name }, icon, domains }) => ({
    name,
    ...(icon === undefined ? {} : { icon }),
    ...(domains.length === 0 ? {} : { domains: [...domains] }),
  }));
  return { connectors };
}
