/** Answers why, who and what: questions about access. */
import type { explainRoutes } from '@gatehouse/contract/access/explain/explain';
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import type { Lock } from '../../access/lock-store.ts';
import { mayReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { listUsers } from '../stores/user-store.ts';
import { type AccessQueryDeps, asActor, mayReadRoles, subjectAskedAbout } from './access-query-deps.ts';
import { explainAccess, toItem } from './explain-access.ts';
import { explainAnyName } from './explain-names.ts';
import { findKnownResource, knownTo } from './known-resources.ts';
import { countReached, listReached } from './list-reached.ts';
import { pageAfter } from './start-key.ts';
import { toAction } from './to-action.ts';
import { canReach, rolesThatReach, usableNames } from './usable-names.ts';

export function explainHandlers(deps: AccessQueryDeps): Handlers<typeof explainRoutes> {
  const { db, access, now } = deps;
  const mayList = (actor: Actor, name: string) =>
    access.decide(actor, { type: 'verb', resource: 'user', verb: 'list', object: { kind: 'user', name } }).allowed;

  return {
    async explain({ actor, cluster, body }) {
      const subject = await subjectAskedAbout(deps, actor, body.user);
      const readsLock = (lock: Lock) => mayReach(access, actor, 'read', 'lock', lock.id);
      const asked = { subject, readsRoles: mayReadRoles(access, actor), readsLock, now: now() };
      if ('rule' in body) {
        const { resource: kind, verb, name } = body.rule;
        const object = { kind, ...(name === undefined ? {} : { name }) };
        return explainAccess(access, { ...asked, action: { type: 'verb', resource: kind, verb, object } });
      }
      const resource = await findKnownResource(db, access, actor, { cluster, ...body });
      if (body.anyName) return explainAnyName(access, { ...asked, resource });
      return explainAccess(access, { ...asked, resource, action: toAction(body, resource) });
    },

    async who({ actor, cluster, body: { kind, resource: wanted, ...page } }) {
      access.require(actor, { type: 'verb', resource: 'role', verb: 'read' });
      const resource = await findKnownResource(db, access, actor, { cluster, kind, resource: wanted });
      const found = (await listUsers(db))
        .map(({ name, roles, traits }) => ({ username: name, roles, traits }))
        .filter((subject) => mayList(actor, subject.username))
        .filter((subject) => canReach(access.of(subject), resource.kind, resource.labels));
      const { items, ...rest } = pageAfter(found, page, ({ username }) => [username]);
      return {
        ...rest,
        resource: toItem(resource),
        items: items.map((subject) => ({
          user: subject.username,
          roles: subject.roles.toSorted(),
          by: rolesThatReach(access.of(subject), resource.kind, resource.labels),
          names: usableNames(access.of(subject), resource.kind, resource.labels),
          locked: access.lockOn(subject) !== undefined,
        })),
      };
    },

    async reach({ actor, cluster, body: { user, kind: wanted, ...page } }) {
      const subject = await subjectAskedAbout(deps, actor, user);
      const seenBy = async (kind: Kind) => [
        await access.visibleTo(asActor(access, subject), kind),
        ...(subject.username === actor.username && !actor.isNarrowed ? [] : [await knownTo(access, actor, kind)]),
      ];
      const counted = await Promise.all(
        kinds.map(async (kind) => [kind, await countReached(db, await seenBy(kind), { cluster, kind })] as const),
      );
      // Of somebody who reaches nothing, the first kind is told as empty.
      const [kind] = counted.find(([each, count]) => (wanted ? each === wanted : count > 0)) ?? counted[0]!;
      const counts = Object.fromEntries(counted) as Record<Kind, number>;
      const { items, startKey } = await listReached(db, await seenBy(kind), { cluster, kind, ...page });
      const held = access.of(subject);
      return {
        user,
        counts,
        kind,
        items: items.map((item) => ({ ...toItem(item), names: usableNames(held, kind, item.labels) })),
        startKey,
        totalCount: counts[kind],
      };
    },
  };
}
