/** Who speaks for the provider of a connector, and to whom. With another voice the same subjects could be somebody else. */
import type { AccessControl } from '../../../access/create-access.ts';
import { refuseTakeover } from '../../../access/escalation.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { holdUsers } from '../../stores/administrators.ts';
import { findUsers } from '../../stores/user-store.ts';
import { type ParsedConnector, readStoredConnector } from '../document/parse-connector.ts';
import { providerOf } from '../providers/providers.ts';
import type { StoredConnector } from '../stores/connector-store.ts';
import { listIdentitiesAt } from '../stores/identity-store.ts';
import { refuseGiftsOfThoseAt } from './gift-of.ts';

export function hasOtherVoice(
  { kind, name, document }: Pick<ParsedConnector, 'kind' | 'name' | 'document'>,
  { content }: Pick<StoredConnector, 'content'>,
  origin: string,
): boolean {
  const voice = (each: ParsedConnector['document']) =>
    JSON.stringify(providerOf(kind).voiceOf({ name, document: each }, origin));
  return voice(document) !== voice(readStoredConnector(kind, content));
}

/** Whoever lets another key, server or client speak for the same people could sign in as each of them. */
export async function refuseOtherVoice(
  { tx, actor, access }: { tx: Tx; actor: Actor; access: AccessControl },
  connector: string,
): Promise<void> {
  if (access.mayEditRoles(actor)) return;
  // Whoever is linked meanwhile would be asked about by nobody.
  await holdUsers(tx);
  const names = (await listIdentitiesAt(tx, connector)).map(({ user }) => user);
  for (const user of await findUsers(tx, names)) refuseTakeover(access, actor, user);
  await refuseGiftsOfThoseAt(tx, { access, actor }, connector);
}
