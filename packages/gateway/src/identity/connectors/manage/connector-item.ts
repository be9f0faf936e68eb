/** A connector as it is told to administrators: everything but its secrets. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { readStoredConnector } from '../document/parse-connector.ts';
import type { StoredConnector } from '../stores/connector-store.ts';

export function connectorItem<K extends ConnectorKind>(
  kind: K,
  { name, content, revision, enabled, hasSecret, trouble, lastSignIn }: StoredConnector,
  counts: ReadonlyMap<string, number>,
  notes: readonly string[] = [],
): ConnectorItem & { kind: K } {
  const { spec } = readStoredConnector(kind, content);
  return {
    id: `${kind}:${name}`,
    kind,
    name,
    content,
    revision,
    enabled,
    hasSecret,
    users: counts.get(name) ?? 0,
    ...(spec.display === undefined ? {} : { display: spec.display }),
    ...(spec.icon === undefined ? {} : { icon: spec.icon }),
    ...(lastSignIn === undefined ? {} : { lastSignIn: new Date(lastSignIn).toISOString() }),
    ...(trouble === '' ? {} : { trouble }),
    ...(notes.length > 0 ? { notes: [...notes] } : {}),
  };
}
