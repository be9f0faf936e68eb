/** Makes somebody who came through a provider what it says they are: user, roles, traits and identity, in one transaction. */
import { userCreated, userUpdated } from '@gatehouse/contract/audit/user-events';
import { KEEP } from '@gatehouse/contract/identity/connectors/connector-document';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { forgetFormerOf } from '../../stores/former-identity-store.ts';
import { isDoubted, type LinkedBy } from '../../stores/linked-by.ts';
import { insertUser, type Traits, updateUser } from '../../stores/user-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { handOver, isHandedOver } from '../links/hand-over.ts';
import { isLastAdministrator } from '../links/last-administrator.ts';
import { nextRecheck } from '../links/next-recheck.ts';
import type { Mapped } from '../mapping/map-assertion.ts';
import type { Assertion, Claims, OpenConnector } from '../providers/provider.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { providerOf } from '../providers/providers.ts';
import { keepIdentity, openTokens, type StoredIdentity } from '../stores/identity-store.ts';
import { type ResolvedUser, refuseLockedUser } from './resolve-user.ts';

type EnterDeps = Pick<ConnectorDeps, 'access' | 'audit' | 'now' | 'secrets'>;

/** Throws `ProviderError` where nothing gives them a role: no user is made of somebody who may do nothing. */
export function requireRoles({ roles }: Pick<Mapped, 'roles'>, connector: string, username: string): void {
  if (roles.length > 0) return;
  throw new ProviderError('mapping', `no entry of '${connector}' gives ${username} a role`, {
    failure: 'unauthorized',
  });
}

export async function enterUser(
  deps: EnterDeps,
  tx: Tx,
  {
    connector,
    assertion,
    mapped,
    resolved,
    provenDevice,
  }: {
    connector: OpenConnector;
    assertion: Assertion;
    mapped: Mapped;
    resolved: ResolvedUser;
    /** Of the account here, if they have just answered with one. */
    provenDevice: string | undefined;
  },
): Promise<void> {
  const { name, user, identity } = resolved;
  const { roles, traits } = mapped;
  requireRoles(mapped, connector.name, assertion.username);
  refuseLockedUser(deps.access, name, roles);
  await writeUser(deps, tx, { connector: connector.name, resolved, roles, traits });
  await refuseLastAdministrator(deps, tx, { connector: connector.name, resolved, mapped });
  if (user && identity && isHandedOver(identity)) await handOver(deps, tx, identity, { user, provenDevice });
  // They have returned, by this way alone.
  if (!identity) await forgetFormerOf(tx, name);
  // Not every provider gives another with each sign-in: without the one from before, nobody would hear that they are gone.
  const tokens = assertion.tokens ?? heldTokens(deps, connector, identity, assertion.claims);
  await keepIdentity(tx, deps.secrets, {
    user: name,
    kind: connector.kind,
    connector: connector.name,
    subject: assertion.subject,
    issuer: assertion.issuer,
    name: assertion.username,
    claims: assertion.claims,
    now: deps.now(),
    nextRecheck: nextRecheck(connector, tokens, deps.now()),
    tokens,
    linkedBy: linkedBy(connector, identity),
  });
}

/** `identity`: of the same issuer, or linked while it was unheard. */
export function heldTokens(
  { secrets }: Pick<EnterDeps, 'secrets'>,
  { kind }: Pick<OpenConnector, 'kind'>,
  identity: StoredIdentity | undefined,
  claims: Claims,
): string | undefined {
  const held = identity && openTokens(secrets, identity);
  return held === undefined ? undefined : (providerOf(kind).keptTokens?.(held, claims) ?? held);
}

/** Whom the account was handed to by their own device has proven both; unless whoever chose the voice of the connector could be them. */
function linkedBy({ isVouched }: OpenConnector, identity: ResolvedUser['identity']): LinkedBy | undefined {
  if (identity && !isDoubted(identity)) return undefined;
  if (!isVouched) return 'other';
  return identity ? 'self' : 'provider';
}

/**
 * Somebody who has their own way in here, links it to a provider and comes through it gets what the mapping gives instead: the first
 * administrator of all would be one no more, and nobody could make another. They go on by the way they have. Of those who come through
 * providers alone the provider's word holds, whoever they are.
 */
export async function refuseLastAdministrator(
  deps: EnterDeps,
  tx: Tx,
  { connector, resolved: { name, user }, mapped }: { connector: string; resolved: ResolvedUser; mapped: Mapped },
): Promise<void> {
  if (!user || !(await isLastAdministrator(deps, tx, user, mapped))) return;
  throw new ProviderError(
    'user',
    `'${name}' is the last administrator, and the roles that '${connector}' gives would end that: map one like 'editor' for them, or make somebody else an administrator first`,
    { failure: 'unauthorized' },
  );
}

/** Roles and traits as the provider gives them now; told where that changes something. */
export async function writeUser(
  { audit, now }: Pick<EnterDeps, 'audit' | 'now'>,
  tx: Tx,
  {
    connector,
    resolved: { name, user },
    roles,
    traits,
  }: {
    connector: string;
    resolved: Pick<ResolvedUser, 'name' | 'user'>;
    roles: string[];
    traits: Record<string, string[]>;
  },
): Promise<boolean> {
  const after = { roles, traits };
  const fields = { user: name, name, roles, connector, after };
  if (!user) {
    await insertUser(tx, { name, roles, traits, created: now(), createdBy: connector, givenBy: connector });
    await publish(tx, { topic: 'user', id: name });
    await audit.emit(tx, userCreated, fields);
    return true;
  }
  const isSame = sameHolding(user, after);
  if (isSame && user.givenBy === connector) return false;
  await updateUser(tx, name, { ...after, givenBy: connector });
  if (isSame) return false;
  await publish(tx, { topic: 'user', id: name });
  const before = { roles: [...user.roles], traits: mutable(user.traits) };
  await audit.emit(tx, userUpdated, { ...fields, before });
  return true;
}

export function keepMs({ document }: Pick<OpenConnector, 'document'>): number {
  return document.spec.keep ?? KEEP.standardMs;
}

function sameHolding(
  before: { roles: readonly string[]; traits: Traits },
  after: { roles: readonly string[]; traits: Traits },
): boolean {
  const text = ({ roles, traits }: { roles: readonly string[]; traits: Traits }) =>
    JSON.stringify([
      roles.toSorted(),
      Object.entries(traits)
        .map(([name, values]) => [name, values.toSorted()])
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    ]);
  return text(before) === text(after);
}

function mutable(traits: Traits): Record<string, string[]> {
  return Object.fromEntries(Object.entries(traits).map(([name, values]) => [name, [...values]]));
}
