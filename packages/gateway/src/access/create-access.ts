/** What the rest of the gateway asks about access. Users with the same roles and traits share what is worked out for one of them. */

import { ACL_GROUPS, type Acl, aclGroups, emptyAcl } from '@gatehouse/contract/access/acl';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { VERBS } from '@gatehouse/contract/wire/route';
import type { Audit } from '../platform/audit/emit.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { Actor } from '../platform/http/actor.ts';
import { BoundedMap } from '../platform/std/bounded-map.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import { aclOf, mayAlways } from './acl-of.ts';
import type { Action } from './action.ts';
import { ActionDenied } from './action-denied.ts';
import { type Access, bindAccess } from './bind-access.ts';
import type { CompiledRole } from './compile-role.ts';
import { type Decision, decide } from './decide.ts';
import { type ExpiryWatch, watchExpiries } from './expiry-watch.ts';
import { createLabelSets, type LabelSet } from './label-sets.ts';
import { openLockCache } from './lock-cache.ts';
import type { Lock } from './lock-store.ts';
import { openRoleCache } from './role-cache.ts';
import { seedRoles } from './seed-roles.ts';
import { isWithinScope } from './token-limits.ts';
import { templateTraits } from './user-traits.ts';
import { type Visibility, visibility } from './visibility.ts';

/** Somebody with roles: an actor, or a user who is only asked about. */
export type Subject = Pick<Actor, 'username' | 'roles' | 'traits'>;

export interface AccessControl {
  /** What a user holds now. Give it to `decide`, `explain`, `sessionOptions` and the like; do not keep it. */
  of(subject: Subject): Access;
  aclOf(subject: Subject): Acl;
  /** Those of the roles that count now: neither gone nor expired. */
  rolesNow(names: readonly string[]): string[];
  /** The decision for a call: also within what the actor's token may do. */
  decide(actor: Actor, action: Action): Decision;
  /** Throws `denied` unless it is allowed. */
  require(actor: Actor, action: Action): void;
  /** What of a kind the actor sees, for lists and counts. */
  visibleTo(actor: Actor, kind: Kind): Promise<Visibility>;
  /** Whether the actor may change every role, and so hold whatever they like. */
  mayEditRoles(actor: Actor): boolean;
  /** A lock on somebody, or on a role of theirs: they may do nothing while it lasts. */
  lockOn(subject: Pick<Subject, 'username' | 'roles'>): Lock | undefined;
  /** The lock that forbids what the roles would allow; for telling why. */
  lockFor(subject: Pick<Subject, 'username' | 'roles'>, action: Action): Lock | undefined;
  /** A lock on an agent, by its id or its name. */
  lockOnAgent(agent: { id: string; name: string }): Lock | undefined;
  /** Makes a change of locks count at once on this gateway. */
  refreshLocks(): Promise<void>;
  /** False where nobody joins the session of another, whatever roles say. */
  canJoinSessions: boolean;
  role(name: string): CompiledRole | undefined;
  roleNames(): string[];
  /** Keys of traits that some role asks for. */
  askedTraits(): ReadonlySet<string>;
  /** Makes a change of a role count at once on this gateway; others hear of it by the change feed. */
  refreshRole(name: string): Promise<void>;
  /** Calls back after roles or locks have changed or run out: whoever holds something open decides again. Gives back how to stop. */
  onChange(listener: () => void): () => void;
  close(): void;
}

export interface AccessDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  /** Told of ready-made roles that follow the version. */
  audit: Audit;
  log: Log;
  now: () => number;
  /** False: nobody joins the session of another, whatever roles say. */
  canJoinSessions?: boolean;
}

const MAX_BOUND = 5_000;

interface Bound {
  access: Access;
  acl: Acl;
  /** For an array of sets that only grows: by which one, and how long it was. */
  visible: Map<Kind, { sets: readonly LabelSet[]; count: number; seen: Visibility }>;
}

export async function createAccess(deps: AccessDeps): Promise<AccessControl> {
  const { db, feed, log, now, canJoinSessions = true } = deps;
  await seedRoles(deps);
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const onChange = () => {
    expiries?.renew();
    tell();
  };
  let expiries: ExpiryWatch | undefined;
  const roles = await openRoleCache({ db, feed, log, onChange });
  const locks = await openLockCache({ db, feed, now, onChange });
  expiries = watchExpiries({
    times: () => [...roles.names().map((name) => roles.get(name)?.expires), ...locks.expiries()],
    now,
    onExpired: tell,
  });
  const labelSets = createLabelSets(db);
  let bound = new BoundedMap<string, Bound>(MAX_BOUND);
  let version = roles.version();

  /** Thousands are decided by the same lists of roles, again and again: for those nothing is put together anew. */
  let recent = new WeakMap<readonly string[], { username: string; traits: unknown; until: number; bound: Bound }>();

  function find(subject: Subject): Bound {
    if (version !== roles.version()) {
      bound = new BoundedMap(MAX_BOUND);
      recent = new WeakMap();
      version = roles.version();
    }
    const last = recent.get(subject.roles);
    const isSame = last?.username === subject.username && last.traits === subject.traits;
    if (last && isSame && now() < last.until) return last.bound;
    const { username, traits } = subject;
    const found = bind(subject);
    const until = Math.min(...found.access.roles.map(({ role }) => role.expires ?? Number.POSITIVE_INFINITY));
    recent.set(subject.roles, { username, traits, until, bound: found });
    return found;
  }

  function roleNow(name: string): CompiledRole | undefined {
    const role = roles.get(name);
    return role && (role.expires === undefined || role.expires > now()) ? role : undefined;
  }

  function bind(subject: Subject): Bound {
    const held = [...new Set(subject.roles)].map(roleNow).filter((role) => role !== undefined);
    const user = { username: subject.username, traits: templateTraits(subject.traits) };
    const key = keyOf(held, user);
    const known = bound.get(key);
    if (known) return known;
    const access = bindAccess(held, user);
    const made = { access, acl: aclOf(access), visible: new Map() };
    bound.set(key, made);
    return made;
  }

  const lockFor: AccessControl['lockFor'] = (subject, action) => locks.on(subject) ?? locks.against(action);

  const decideFor = (actor: Actor, action: Action): Decision => {
    if (!isWithinScope(actor, action)) return { allowed: false, cited: [] };
    if (action.type === 'join' && !canJoinSessions) return { allowed: false, cited: [] };
    if (actor.isOwner) return { allowed: true, cited: [] };
    return lockFor(actor, action) ? { allowed: false, cited: [] } : decide(find(actor).access, action);
  };

  return {
    canJoinSessions,
    of: (subject) => find(subject).access,
    aclOf: (subject) => find(subject).acl,
    rolesNow: (names) => names.filter((name) => roleNow(name) !== undefined),
    decide: decideFor,
    require(actor, action) {
      if (!decideFor(actor, action).allowed) throw new ActionDenied(action);
    },
    async visibleTo(actor, kind) {
      if (!actor.acl[factsOf(kind).acl].list) return { type: 'none' };
      if (actor.isOwner) return { type: 'all' };
      const sets = await labelSets.of(kind);
      // After the wait: a role that changed meanwhile must count.
      const { access, visible } = find(actor);
      const held = visible.get(kind);
      if (held?.sets === sets && held.count === sets.length) return held.seen;
      const seen = visibility(access, kind, sets);
      visible.set(kind, { sets, count: sets.length, seen });
      return seen;
    },
    mayEditRoles: (actor) =>
      actor.acl.roles.edit && (actor.isOwner === true || mayAlways(find(actor).access, ACL_GROUPS.roles, 'update')),
    role: (name) => roles.get(name),
    roleNames: () => roles.names(),
    askedTraits: () => roles.askedTraits(),
    refreshRole: (name) => roles.refresh(name),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lockOn: locks.on,
    lockFor,
    lockOnAgent: locks.onAgent,
    refreshLocks: locks.refresh,
    close() {
      expiries?.close();
      roles.close();
      locks.close();
    },
  };
}

/** Users share what is bound when no template or condition tells them apart. */
function keyOf(roles: readonly CompiledRole[], { username, traits }: Pick<Subject, 'username' | 'traits'>): string {
  const names = roles.map(({ name }) => name).sort();
  const asked = new Set(roles.flatMap((role) => [...role.traits]));
  const values = [...asked].sort().map((trait) => [trait, Object.hasOwn(traits, trait) ? traits[trait] : []]);
  const who = roles.some(({ asksForUser }) => asksForUser) ? username : null;
  return JSON.stringify([names, values, who]);
}

/** The acl of whoever owns the machine the gateway runs on. */
export function ownerAcl(): Acl {
  const acl = emptyAcl();
  for (const group of aclGroups) for (const verb of VERBS) acl[group][verb] = true;
  return acl;
}
