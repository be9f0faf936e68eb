/** Who somebody is in a cluster: the user and the groups their roles give there, or those of them that were asked for. */
import type { Access, Labels } from '../../access/bind-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { AskedIdentity, KubeIdentity } from './engine/request-headers.ts';

/** Clusters keep this beginning for themselves: their masters, nodes and controllers. */
const RESERVED = 'system:';
const MAX_TOLD = 50;

export interface KubeWho extends KubeIdentity {
  /** What the decision is asked about: a user that no role names is the person, and not theirs to give. */
  decided: { user?: string; groups: readonly string[] };
}

type Field = 'kubernetes_users' | 'kubernetes_groups';

export interface CountingRoles {
  /** The names of those whose rules allow the objects that are asked for; what the others give does not count then. */
  roles?: readonly string[];
  /** Each of them allows a part: only what all of them give counts. */
  isParted?: boolean;
}

/**
 * `*` lets any name be asked for and gives none, and it never means those that clusters keep for themselves.
 */
export function whoFor(
  access: Access,
  labels: Labels,
  asked: AskedIdentity = { user: undefined, groups: [] },
  { roles, isParted = false }: CountingRoles = {},
): KubeWho {
  const given = (field: Field) => (isParted ? givenByAll : givenByAny)(access, labels, field, roles);
  const users = given('kubernetes_users');
  const groups = given('kubernetes_groups');
  if (isParted && users.length === 0) requireNoUsers(access, labels, roles ?? []);
  const user = userFor(access, users, asked.user);
  const missing = asked.groups.find((group) => !mayAsk(groups, group));
  if (missing !== undefined) throw refused('group', missing, groups);
  const chosen = asked.groups.length > 0 ? asked.groups : named(groups);
  return {
    user,
    groups: chosen,
    decided: { ...(mayAsk(users, user) ? { user } : {}), groups: chosen },
  };
}

function givenByAny(access: Access, labels: Labels, field: Field, roles: readonly string[] | undefined): string[] {
  return principalsFor(roles === undefined ? access : withAllowOf(access, roles), 'kube', labels, field);
}

function givenByAll(access: Access, labels: Labels, field: Field, roles: readonly string[] = []): string[] {
  const each = roles.map((role) => givenByAny(access, labels, field, [role]));
  return givenByAny(access, labels, field, roles).filter((name) =>
    each.every((names) => names.includes(name) || mayAsk(names, name)),
  );
}

/** A part that is had under one's own name must not be had under it where a role gives another. */
function requireNoUsers(access: Access, labels: Labels, roles: readonly string[]): void {
  const users = named(givenByAny(access, labels, 'kubernetes_users', roles));
  if (users.length === 0) return;
  throw new AppError(
    'denied',
    `your roles let you have parts of it, each as another Kubernetes user; choose one with --as: ${told(users)}`,
  );
}

/** Whether a role alone gives what is asked for. */
export function givesAsked(access: Access, labels: Labels, { user, groups }: AskedIdentity, role: string): boolean {
  const users = givenByAny(access, labels, 'kubernetes_users', [role]);
  const isUser = user === undefined || mayAsk(users, user) || (users.length === 0 && user === access.username);
  const given = givenByAny(access, labels, 'kubernetes_groups', [role]);
  return isUser && groups.every((group) => mayAsk(given, group));
}

/** Whether a role names somebody to be there: where none does, it leaves people their own name alone. */
export function givesNames(access: Access, labels: Labels, role: string): boolean {
  const given = (field: Field) => named(givenByAny(access, labels, field, [role])).length > 0;
  return given('kubernetes_groups') || given('kubernetes_users');
}

function userFor(access: Access, users: readonly string[], asked: string | undefined): string {
  const own = access.username;
  const names = named(users);
  if (asked !== undefined && (asked !== own || names.length > 0)) {
    if (!mayAsk(users, asked)) throw refused('user', asked, names.length === 0 && isOwnFree(access) ? [own] : users);
    return asked;
  }
  if (names.length === 1) return names[0]!;
  if (names.includes(own)) return own;
  if (names.length > 1)
    throw new AppError('denied', `your roles give several Kubernetes users here; choose one with --as: ${told(names)}`);
  if (!isOwnFree(access))
    throw new AppError('denied', `your roles do not let you be the Kubernetes user '${own}', and give no other here`);
  return own;
}

/** Whoever names accounts must not thereby make a node or a controller. */
function isOwnFree(access: Access): boolean {
  return !access.username.startsWith(RESERVED) && !isDenied(access, access.username);
}

function isDenied({ roles }: Access, name: string): boolean {
  return roles.some(({ deny }) => deny.principals.get('kubernetes_users')?.some((entry) => entry.matches(name)));
}

function mayAsk(names: readonly string[], name: string): boolean {
  if (name === '*') return false;
  return names.includes(name) || (names.includes('*') && !name.startsWith(RESERVED));
}

function named(names: readonly string[]): string[] {
  return names.filter((name) => name !== '*');
}

function refused(what: 'user' | 'group', name: string, names: readonly string[]): AppError {
  const there = named(names).length === 0 ? 'they give none here' : `here they give ${told(named(names))}`;
  return new AppError('denied', `your roles do not let you be the Kubernetes ${what} '${name}': ${there}`);
}

function told(names: readonly string[]): string {
  const more = names.length - MAX_TOLD;
  return `${names.slice(0, MAX_TOLD).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What others deny still holds. */
function withAllowOf(access: Access, names: readonly string[]): Access {
  const nothing = { labels: new Map(), principals: new Map() };
  return {
    ...access,
    roles: access.roles.map((role) =>
      names.includes(role.name) ? role : { ...role, allow: { ...role.allow, ...nothing } },
    ),
  };
}
