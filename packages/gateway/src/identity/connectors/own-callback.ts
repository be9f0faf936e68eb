/**
 * One provider's code must never be sent to another. The address it answers at tells whose it is; of those that answer at
 * the address without a name, which older set-ups know, there can therefore be one alone of each kind. SAML sends no codes.
 */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { Db } from '../../platform/storage/tables.ts';
import { readStoredConnector } from './document/parse-connector.ts';
import type { OpenConnector } from './provider.ts';
import { listConnectors } from './stores/connector-store.ts';

export function answersNameless({ name, document }: Pick<OpenConnector, 'name' | 'document'>): boolean {
  const given = 'redirect_url' in document.spec ? document.spec.redirect_url : undefined;
  return given !== undefined && !isNamed(given, name);
}

/** Whether the address is of that connector and no other. */
export function isNamed(callback: string, name: string): boolean {
  return new URL(callback).pathname.endsWith(`/${encodeURIComponent(name)}`);
}

/** Another one that people sign in through and that answers there too. */
export async function otherNameless(db: Db, kind: ConnectorKind, name: string): Promise<string | undefined> {
  const others = (await listConnectors(db)).filter((each) => each.kind === kind && each.name !== name && each.enabled);
  return others.find((each) => answersNameless({ name: each.name, document: readStoredConnector(kind, each.content) }))
    ?.name;
}
