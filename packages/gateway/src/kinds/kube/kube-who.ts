/** As whom somebody acts in a Kubernetes cluster, and whether they may: for what is asked without a request for objects. */
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { KubeIdentity } from './engine/request-headers.ts';
import type { ListedKube } from './listed-kube.ts';
import { whoFor } from './who-for.ts';

/** What somebody asks to be; what is left out is what roles give. */
export interface AskedWho {
  user?: string | undefined;
  groups?: readonly string[] | undefined;
}

/** Throws `denied` with what there is to choose from. Whether they may is another question: see `mayBe`. */
export function whoIn(
  access: Pick<AccessControl, 'of'>,
  actor: Actor,
  { resource }: Pick<ListedKube, 'resource'>,
  asked: AskedWho = {},
): KubeIdentity {
  const held = actor.isOwner ? { username: actor.username, traits: {}, roles: [] } : access.of(actor);
  const { user, groups } = whoFor(held, resource.labels, { user: asked.user || undefined, groups: asked.groups ?? [] });
  return { user, groups };
}

/**
 * Whether somebody may act there as this. Where roles name no user, everybody has their own name there without a role that gives it:
 * then the rest is decided, and the name is still held against what denies it and what locks it.
 */
export function mayBe(
  access: Pick<AccessControl, 'of' | 'decide' | 'lockFor'>,
  actor: Actor,
  { resource }: Pick<ListedKube, 'resource'>,
  { user, groups }: KubeIdentity,
): boolean {
  // Locks of one agent close one way to it, not the cluster.
  const named = { type: 'connect', kind: 'kube', user, groups, resource: { ...resource, owner: '' } } as const;
  if (access.decide(actor, named).allowed) return true;
  if (user !== actor.username || actor.isOwner || access.lockFor(actor, named)) return false;
  const held = access.of(actor);
  if (principalsFor(held, 'kube', resource.labels, 'kubernetes_users').length > 0) return false;
  if (held.roles.some(({ deny }) => deny.principals.get('kubernetes_users')?.some((entry) => entry.matches(user))))
    return false;
  const { user: _, ...unnamed } = named;
  return access.decide(actor, unnamed).allowed;
}
