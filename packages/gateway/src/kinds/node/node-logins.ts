/** The logins somebody may use on a server. */
import type { NodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';

/** Sorted. What an agent does not start shells for is not offered, whatever roles say. */
export function loginsOn(
  actor: Actor,
  access: Pick<AccessControl, 'of'>,
  resource: Pick<Resource, 'labels'>,
  spec: NodeSpec,
): string[] {
  const held = actor.isOwner ? ['*'] : principalsFor(access.of(actor), 'node', resource.labels, 'logins');
  const limits = spec.type === 'agent' ? spec.logins : undefined;
  if (!limits) return held;
  return (held.includes('*') ? [...new Set(limits)] : held.filter((login) => limits.includes(login))).sort();
}
