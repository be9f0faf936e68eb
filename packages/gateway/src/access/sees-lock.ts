/** Who may know of a lock. */
import type { Actor } from '../platform/http/actor.ts';
import type { AccessControl } from './create-access.ts';
import type { Lock } from './lock-store.ts';
import { mayReach } from './reach.ts';

/** A lock tells of whom or what it is on: on a user the caller may not know, it is not there either. */
export function seesLock(
  access: AccessControl,
  actor: Actor,
  verb: 'list' | 'read' | 'delete',
  { id, target }: Pick<Lock, 'id' | 'target'>,
): boolean {
  if (!mayReach(access, actor, verb, 'lock', id)) return false;
  return target.kind !== 'user' || mayReach(access, actor, verb === 'delete' ? 'update' : 'list', 'user', target.name);
}
