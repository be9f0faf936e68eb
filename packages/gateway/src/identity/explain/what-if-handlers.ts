/** Answers what a planned change of roles or of a user would do. */

import { createHash } from 'node:crypto';
import type { AffectedName, Effect, PlannedChange, whatIfRoutes } from '@gatehouse/contract/access/explain/what-if';
import type { RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';
import type { AccessControl } from '../../access/create-access.ts';
import { refuseUnlisted } from '../../access/escalation.ts';
import { missingTraits } from '../../access/missing-traits.ts';
import { mayReach as mayReachUser } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { readPageKey, writePageKey } from '../../platform/std/page-key.ts';
import type { AccessQueryDeps } from './access-query-deps.ts';
import { knownTo } from './known-resources.ts';
import { labelKeysOf } from './match-groups.ts';
import { plannedUsers } from './planned-users.ts';
import { readResourceGroups, readVisibleIds } from './resource-groups.ts';
import { rightChanges } from './right-changes.ts';
import { comparePlaces, pageAfter } from './start-key.ts';
import { type AffectedUser, effectsOn, type FoundEffect, type KindEffects, totalExtent } from './what-if.ts';

const MAX_NAMES = 100;
const MAX_SHOWN = 5;
const MAX_RIGHTS = 100;

export function whatIfHandlers(deps: AccessQueryDeps): Handlers<typeof whatIfRoutes> {
  const { db, access } = deps;

  function admit(actor: Actor, change: PlannedChange): void {
    if (access.mayEditRoles(actor)) return;
    if (change.type === 'save-role' || change.type === 'delete-role')
      throw new AppError('denied', 'access denied: only those who may edit every role can look ahead');
    access.require(actor, { type: 'verb', resource: 'role', verb: 'read' });
    for (const name of usersIn(change)) requireEditor(actor, name);
    if (change.type === 'change-user') refuseUnlisted(access, actor, change.roles ?? []);
    if (change.type === 'change-users') refuseUnlisted(access, actor, change.add ?? []);
  }

  /** Whoever may read roles and change this user could find it out by trying; of roles they may not list they hear nothing. */
  function requireEditor(actor: Actor, name: string): void {
    const may = (verb: RuleVerb) => mayReachUser(access, actor, verb, 'user', name);
    if (!may('read') || !(may('update') || may('create'))) throw notFound('user', name);
  }

  /** By the name alone: whether a user is there whom they may not know must not show. */
  function requireKnown(actor: Actor, change: PlannedChange): void {
    const unknown = usersIn(change).find((name) => !knownUsers(access, actor)(name));
    if (unknown !== undefined) throw notFound('user', unknown);
  }

  async function workOut(cluster: string, change: PlannedChange, only?: string) {
    const users = await plannedUsers(deps, change, only);
    const keys = labelKeysOf(users.flatMap(({ before, after }) => [before, after]));
    const found: KindEffects[] = [];
    for (const kind of kinds) {
      if (!users.some((user) => mayReach(user, kind))) continue;
      const groups = await readResourceGroups(db, { cluster, kind }, keys);
      found.push(effectsOn(kind, groups, users));
    }
    return { users, found };
  }

  return {
    async whatIf({ actor, cluster, body: { change, ...page } }) {
      admit(actor, change);
      requireKnown(actor, change);
      const { users, found } = await workOut(cluster, change);
      const isKnown = knownUsers(access, actor);
      const effects = found
        .flatMap((kind) => kind.effects.filter(({ user }) => isKnown(user)).map((effect) => ({ effect, kind })))
        .map((each) => ({ ...each, place: placeOf(each.effect) }))
        .sort((a, b) => comparePlaces(a.place, b.place));
      const shown = pageAfter(effects, page, ({ place }) => place);
      const knownIds = await idsKnownTo(
        { ...deps, cluster },
        actor,
        new Set(shown.items.map(({ effect }) => effect.kind)),
      );
      const rights = rightChanges(users);
      const hidden = new Set(
        found.flatMap((kind) => kind.effects.map(({ user }) => user)).filter((user) => !isKnown(user)),
      );
      return {
        total: totalExtent(found),
        kinds: found
          .map(({ kind, extent }) => ({ kind, ...extent }))
          .filter(({ names }) => names.gained + names.lost > 0),
        rights: { users: rights.length, items: rights.filter(({ user }) => isKnown(user)).slice(0, MAX_RIGHTS) },
        ...(change.type === 'change-user' ? { missing: users.flatMap(({ after }) => missingTraits(after)) } : {}),
        hiddenUsers: hidden.size,
        ...shown,
        items: shown.items.map(({ effect, kind, place }) => toEffect(effect, kind, place, knownIds.get(effect.kind))),
      };
    },

    async resources({ actor, cluster, body: { change, key, ...page } }) {
      admit(actor, change);
      requireKnown(actor, change);
      const [user = '', wantedKind = ''] = readPageKey(effectKey, key, 'key');
      if (!knownUsers(access, actor)(user)) throw notFound('user', user);
      const { found } = await workOut(cluster, change, user);
      const kind = found.find((each) => each.kind === wantedKind);
      const effect = kind?.effects.find((each) => writePageKey(placeOf(each)) === key);
      if (!kind || !effect) throw new AppError('not_found', 'the change has no such effect any more: ask again');
      const known = (await idsKnownTo({ ...deps, cluster }, actor, new Set([kind.kind]))).get(kind.kind);
      const all = sortedResources(kind, effect);
      const named = all.filter(({ id }) => !known || known.has(id));
      return { ...pageAfter(named, page, ({ name, id }) => [name, id]), hidden: all.length - named.length };
    },
  };
}

/** Those a change names. */
function usersIn(change: PlannedChange): readonly string[] {
  if (change.type === 'change-users') return change.names;
  return change.type === 'change-user' || change.type === 'delete-user' ? [change.name] : [];
}

function mayReach({ before, after }: AffectedUser, kind: Kind): boolean {
  const field = factsOf(kind).labels;
  return [...before.roles, ...after.roles].some(({ allow }) => allow.labels.has(field));
}

function knownUsers(access: AccessControl, actor: Actor): (name: string) => boolean {
  return (name) =>
    access.decide(actor, { type: 'verb', resource: 'user', verb: 'list', object: { kind: 'user', name } }).allowed;
}

/** Nothing for a kind of which the actor may know everything. */
async function idsKnownTo(
  { db, access, cluster }: Pick<AccessQueryDeps, 'db' | 'access'> & { cluster: string },
  actor: Actor,
  wanted: ReadonlySet<Kind>,
): Promise<Map<Kind, ReadonlySet<string>>> {
  const ids = new Map<Kind, ReadonlySet<string>>();
  for (const kind of wanted) {
    const known = await knownTo(access, actor, kind);
    if (known.type !== 'all') ids.set(kind, await readVisibleIds(db, { cluster, kind }, known));
  }
  return ids;
}

const effectKey = z.array(z.string());

/** User, kind, and what tells this effect from the user's others. */
function placeOf({ user, kind, gained, lost }: FoundEffect): [string, string, string] {
  const mark = createHash('sha256')
    .update(JSON.stringify([gained, lost]))
    .digest('base64url');
  return [user, kind, mark.slice(0, 22)];
}

function sortedResources({ resourcesIn }: KindEffects, effect: FoundEffect): { id: string; name: string }[] {
  return [...resourcesIn(effect)].sort((a, b) => comparePlaces([a.name, a.id], [b.name, b.id]));
}

function toEffect(
  effect: FoundEffect,
  { resourcesIn }: KindEffects,
  place: readonly string[],
  known: ReadonlySet<string> | undefined,
): Effect {
  const shown: string[] = [];
  for (const { id, name } of resourcesIn(effect)) {
    if (!known || known.has(id)) shown.push(name);
    if (shown.length === MAX_SHOWN) break;
  }
  const { user, kind, gained, lost, resourceCount } = effect;
  return {
    key: writePageKey(place),
    user,
    kind,
    gained: firstOf(gained),
    lost: firstOf(lost),
    gainedCount: gained.length,
    lostCount: lost.length,
    resourceCount,
    resourceNames: shown,
  };
}

function firstOf(names: readonly AffectedName[]): AffectedName[] {
  return names.slice(0, MAX_NAMES);
}
