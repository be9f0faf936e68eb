/** What the parts of connectors work with. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { Authenticate } from '../sign-in/authenticate.ts';
import type { Attempts } from '../sign-in/failures.ts';
import type { LoginFailures } from '../sign-in/login-failures.ts';
import { readStoredConnector } from './document/parse-connector.ts';
import type { OpenConnector, ProviderDeps } from './providers/provider.ts';
import { connectorSecrets, type StoredConnector } from './stores/connector-store.ts';

export interface ConnectorDeps extends IdentityDeps {
  /** For providers elsewhere: what leads to the machine the gateway runs on is refused. */
  provider: ProviderDeps;
  /** How the provider of a connector is asked. */
  asking(connector: Pick<OpenConnector, 'ownMachine'>): ProviderDeps;
  attempts: Attempts;
  /** What a browser is signed in with. */
  byCookie: Authenticate['cookie'];
  loginFailures: LoginFailures;
  /** Connectors as they were last used, by their names. */
  opened: BoundedMap<string, Opened>;
}

interface Opened {
  /** What it was read from. */
  revision: string;
  facts: string;
  connector: OpenConnector;
}

/** Reads a connector as it is used, with its secrets open; the same one until it or what was learnt of its provider changes. */
export function openConnector(
  { secrets, opened }: Pick<ConnectorDeps, 'secrets' | 'opened'>,
  stored: StoredConnector,
): OpenConnector {
  const { name, kind, content, facts, revision, ownMachine, isVouched } = stored;
  const learnt = JSON.stringify(facts);
  const known = opened.get(name);
  if (known?.revision === revision && known.facts === learnt) return known.connector;
  const secret = connectorSecrets(secrets, stored);
  const connector = openAs(kind, { name, content, facts, ownMachine, isVouched, secrets: secret });
  opened.set(name, { revision, facts: learnt, connector });
  return connector;
}

export function openAs<K extends ConnectorKind>(
  kind: K,
  {
    name,
    content,
    facts,
    secrets,
    ownMachine = false,
    isVouched = false,
  }: Pick<OpenConnector, 'name' | 'facts' | 'secrets' | 'ownMachine' | 'isVouched'> & { content: string },
): OpenConnector<K> {
  return { kind, name, facts, secrets, ownMachine, isVouched, document: readStoredConnector(kind, content) };
}
