/** Changes a trust, and with it at once what everybody who came through it holds here. */
import type { RoleMap } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { refuseGift } from '../../../access/may-give.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { remoteName } from '../../stores/remote-name.ts';
import { listRemoteUsers, putRemoteUser } from '../../stores/remote-user-store.ts';
import { endSignInsOf } from '../../stores/sign-in-store.ts';
import { givenByMap } from '../map/role-map.ts';
import type { StoredTrust } from '../stores/trusted-cluster-store.ts';
import { type KnownTrust, mapLock } from './known-trust.ts';
import { type ParsedTrust, readStoredTrust } from './trust-document.ts';

type MapAccess = Parameters<typeof refuseGift>[0];

/** Who saves a map must hold its local roles, or may edit roles: the root's administrators decide who gets them. */
export function refuseMap(access: MapAccess, actor: Actor, { name, map }: { name: string; map: RoleMap }): void {
  refuseGift(access, actor, { who: `somebody of ${name}`, givesTraits: false, ...givenByMap(map) });
}

/** After it was made, only what is let in changes. */
export function requireSameRoot(parsed: ParsedTrust, held: StoredTrust): void {
  const before = readStoredTrust(held.content).spec;
  const { spec } = parsed.document;
  if (parsed.name !== held.name)
    throw new AppError(
      'bad_request',
      `the document is of the trust '${parsed.name}', not of '${held.name}': trusts cannot be renamed`,
    );
  if (spec.token !== undefined)
    throw new AppError('bad_request', "'spec.token' was spent when the trust was made: leave it out");
  const fixed = (['web_proxy_addr', 'tunnel_addr', 'root_key', 'ca_pin'] as const).find(
    (field) => spec[field] !== before[field],
  );
  if (fixed)
    throw new AppError(
      'bad_request',
      `'spec.${fixed}' cannot be changed: a trust is tied to its root. Remove it, and join with a new token`,
    );
}

/** Works out again what its people hold; those who hold nothing any more, or all where it is off, are signed out here. */
export async function mapAgain(
  tx: Tx,
  trust: Pick<KnownTrust, 'name' | 'enabled' | 'map'>,
  { exists, now }: { exists: (role: string) => boolean; now: number },
): Promise<void> {
  await holdLock(tx, mapLock(trust.name), 'alone');
  for (const user of await listRemoteUsers(tx, trust.name)) {
    const roles = trust.map(user.remoteRoles, exists);
    if (JSON.stringify(roles) !== JSON.stringify(user.roles)) await putRemoteUser(tx, { ...user, roles });
    if (roles.length === 0 || !trust.enabled)
      await endSignInsOf(tx, remoteName(user), 'ended_by_administrator', { now });
  }
}

export async function endAllOf(tx: Tx, trust: string, now: number): Promise<void> {
  await holdLock(tx, mapLock(trust), 'alone');
  for (const user of await listRemoteUsers(tx, trust))
    await endSignInsOf(tx, remoteName(user), 'ended_by_administrator', { now });
}
