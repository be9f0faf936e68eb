/**
 * One provider's code must never be sent to another. The address it answers at tells whose it is; of those that answer at
 * the address without a name, which older set-ups know, there can therefore be one alone of each kind. SAML sends no codes.
 */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { Db } from '../../../platform/storage/tables.ts';
import { readStoredConnector } from '../document/parse-connector.ts';
import type { OpenConnector } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { listConnectors } from '../stores/connector-store.ts';

export function answersNameless({ name, document }: Pick<OpenConnector, 'name' | 'document'>): boolean {
  const given = 'redirect_url' in document.spec ? document.spec.redirect_url : undefined;
  return given !== undefined && !isNamed(given, name);
}

/** Whether the address is of that connector and no other. */
export function isNamed(callback: string, name: string): boolean {
  return new URL(callback).pathname.endsWith(`/${encodeURIComponent(name)}`);
}

/** Where answers would be taken, if that is not this gateway: whoever has the codes and assertions of people there can be each of them here. */
export function foreignCallback(
  { kind, name, document }: Pick<OpenConnector, 'kind' | 'name' | 'document'>,
  origin: string,
): { field: string; message: string } | undefined {
  const { callbackOf, callbackField } = providerOf(kind);
  const told = new URL(callbackOf({ name, document }, origin)).origin;
  if (told === new URL(origin).origin) return undefined;
  const field = `spec.${callbackField}`;
  return { field, message: `'${field}' leads to ${told}, and this gateway is ${origin}: leave it out` };
}

/** Another one that people sign in through and that answers there too. */
export async function otherNameless(db: Db, kind: ConnectorKind, name: string): Promise<string | undefined> {
  const others = (await listConnectors(db)).filter((each) => each.kind === kind && each.name !== name && each.enabled);
  return others.find((each) => answersNameless({ name: each.name, document: readStoredConnector(kind, each.content) }))
    ?.name;
}
