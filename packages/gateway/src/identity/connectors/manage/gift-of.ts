/** What a connector could give to whoever comes through it, and whether somebody could give that themselves. */
import { type Gift, refuseGift } from '../../../access/may-give.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { User } from '../../stores/user-store.ts';
import { type ParsedConnector, readStoredConnector } from '../document/parse-connector.ts';
import { givenByEntries } from '../mapping/check-mapping.ts';
import { providerOf } from '../providers/providers.ts';
import { findConnector, listConnectors, type StoredConnector } from '../stores/connector-store.ts';
import { listIdentitiesOf } from '../stores/identity-store.ts';
import { listWaysOfThoseAt } from '../stores/ways-of-those.ts';

type GiftAccess = Parameters<typeof refuseGift>[0];

export function giftOf({ kind, name, document }: Pick<ParsedConnector, 'kind' | 'name' | 'document'>): Gift {
  const givesTraits = (document.spec.traits?.length ?? 0) > 0;
  return { who: `somebody of ${name}`, givesTraits, ...givenByEntries(providerOf(kind).entries(document)) };
}

/** Throws unless the actor could give whatever the connector could: whoever has a key to the account, or names the subject, has it too. */
export function refuseWayThrough(
  access: GiftAccess,
  actor: Actor,
  user: string,
  { kind, name, content }: Pick<StoredConnector, 'kind' | 'name' | 'content'>,
): void {
  try {
    refuseGift(access, actor, giftOf({ kind, name, document: readStoredConnector(kind, content) }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = `'${user}' could come through '${name}', and have what it gives: ${error.message}`;
    throw new AppError('denied', message, { ...(error.fields ? { fields: error.fields } : {}), cause: error });
  }
}

/** The same for a name that nobody has: whoever comes through any of the connectors may be called so. */
export async function refuseAnyGift(
  db: Db,
  { access, actor }: { access: GiftAccess; actor: Actor },
  name: string,
): Promise<void> {
  if (access.mayEditRoles(actor)) return;
  for (const stored of await listConnectors(db)) refuseWayThrough(access, actor, name, stored);
}

/** The same for each connector that the user comes through: what they hold today is not what they may hold tomorrow. */
export async function refuseProvidersGift(
  db: Db,
  { access, actor }: { access: GiftAccess; actor: Actor },
  { name, givenBy }: Pick<User, 'name' | 'givenBy'>,
): Promise<void> {
  if (access.mayEditRoles(actor)) return;
  const linked = (await listIdentitiesOf(db, name)).map(({ connector }) => connector);
  for (const connector of new Set(givenBy === undefined ? linked : [...linked, givenBy]))
    await refuseWay(db, { access, actor }, { user: name, connector });
}

/** The same for everybody of a connector at once: they may come through others too, and there may be thousands of them. */
export async function refuseGiftsOfThoseAt(
  db: Db,
  { access, actor }: { access: GiftAccess; actor: Actor },
  connector: string,
): Promise<void> {
  if (access.mayEditRoles(actor)) return;
  for (const way of await listWaysOfThoseAt(db, connector)) await refuseWay(db, { access, actor }, way);
}

async function refuseWay(
  db: Db,
  { access, actor }: { access: GiftAccess; actor: Actor },
  { user, connector }: { user: string; connector: string },
): Promise<void> {
  const stored = await findConnector(db, connector);
  if (stored) refuseWayThrough(access, actor, user, stored);
}
