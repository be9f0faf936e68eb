/** As whom somebody acts in a Kubernetes cluster: the user and the groups that their roles give them there. */
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { ListedKube } from './listed-kube.ts';

export interface KubeWho {
  user: string;
  groups: readonly string[];
}

/** What somebody asks to be; what is left out is what roles give. */
export interface AskedWho {
  user?: string | undefined;
  groups?: readonly string[] | undefined;
}

const ANY = '*';

/** Throws `denied` with what there is to choose from. Whether they may is another question: see `mayBe`. */
export function whoIn(
  access: Pick<AccessControl, 'of'>,
  actor: Actor,
  { resource }: Pick<ListedKube, 'resource'>,
  asked: AskedWho = {},
): KubeWho {
  const given = (field: 'kubernetes_users' | 'kubernetes_groups') =>
    actor.isOwner ? [] : principalsFor(access.of(actor), 'kube', resource.labels, field);
  const users = given('kubernetes_users');
  const groups = given('kubernetes_groups');
  return {
    user: userAmong(users, actor, resource.name, asked.user),
    groups: groupsAmong(groups, resource.name, asked),
  };
}

/** A star lets somebody ask for any name, and is none itself. */
function userAmong(users: readonly string[], actor: Actor, cluster: string, asked: string | undefined): string {
  const names = users.filter((name) => name !== ANY);
  const isAny = names.length < users.length;
  const own = actor.username;
  if (asked !== undefined && asked !== '') {
    if (isAny || names.includes(asked) || (names.length === 0 && asked === own)) return asked;
    throw new AppError(
      'denied',
      `none of your roles lets you be '${asked}' in '${cluster}': they give ${names.join(', ') || `'${own}' alone`}`,
    );
  }
  if (names.length === 0 || names.includes(own)) return own;
  if (names.length === 1) return names[0]!;
  throw new AppError(
    'denied',
    `your roles let you be several users in '${cluster}': choose one of ${names.join(', ')}`,
  );
}

function groupsAmong(groups: readonly string[], cluster: string, { groups: asked }: AskedWho): string[] {
  const names = groups.filter((name) => name !== ANY);
  if (asked === undefined || asked.length === 0) return names;
  const other = names.length < groups.length ? undefined : asked.find((name) => !names.includes(name));
  if (other === undefined) return [...new Set(asked)];
  throw new AppError(
    'denied',
    `none of your roles lets you be in the group '${other}' in '${cluster}': they give ${names.join(', ') || 'none'}`,
  );
}

/**
 * Whether somebody may act there as this. Where roles name no user, everybody has their own name there without a role that gives it:
 * then the rest is decided, and the name is still held against what denies it and what locks it.
 */
export function mayBe(
  access: Pick<AccessControl, 'of' | 'decide' | 'lockFor'>,
  actor: Actor,
  { resource }: Pick<ListedKube, 'resource'>,
  { user, groups }: KubeWho,
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
