/** Which resources somebody may be told of: those they see, and all of a kind whose rules let them read it. */
import { factsOf, type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import type { AccessControl } from '../../access/create-access.ts';
import { covers } from '../../access/decide.ts';
import type { Visibility } from '../../access/visibility.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';

type ResourceAccess = Pick<AccessControl, 'of' | 'decide' | 'visibleTo'>;

export async function knownTo(access: ResourceAccess, actor: Actor, kind: Kind): Promise<Visibility> {
  return readsAll(access, actor, kind) ? { type: 'all' } : await access.visibleTo(actor, kind);
}

/** By a rule somebody wrote: labels that reach a resource imply one too, and that is no right to all of them. */
function readsAll(access: ResourceAccess, actor: Actor, kind: Kind): boolean {
  if (actor.isOwner) return true;
  const [resource] = factsOf(kind).rules;
  const action = { type: 'verb', resource, verb: 'read', object: { kind: resource } } as const;
  if (!access.decide(actor, action).allowed) return false;
  const { roles } = access.of(actor);
  const denied = roles.some(({ deny }) => deny.rules.some((rule) => covers(rule, resource, 'read')));
  return (
    !denied &&
    roles.some(({ allow }) =>
      allow.rules.some(
        (rule) => !rule.where && rule.clause.path.startsWith('spec.allow.rules') && covers(rule, resource, 'read'),
      ),
    )
  );
}

export function isKnownTo(access: ResourceAccess, actor: Actor, resource: Resource): boolean {
  return (
    readsAll(access, actor, resource.kind) ||
    access.decide(actor, { type: 'see', kind: resource.kind, resource }).allowed
  );
}

const MAX_NAMED = 10;

/** By id, or by name where only one resource has it. What the actor may not know of is not found. */
export async function findKnownResource(
  db: Db,
  access: ResourceAccess,
  actor: Actor,
  { cluster, kind, resource: wanted }: { cluster: string; kind?: Kind | undefined; resource: string },
): Promise<Resource> {
  const rows = await db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', 'in', kind ? [kind] : [...kinds])
    .where((builder) => builder.or([builder('id', '=', wanted), builder('name', '=', wanted)]))
    .orderBy('kind')
    .orderBy('id')
    .limit(1000)
    .execute();
  const known = rows
    .map((row) => toResource(row, row.kind as Kind))
    .filter((resource) => isKnownTo(access, actor, resource));
  const byId = known.filter(({ id }) => id === wanted);
  const [found, second] = byId.length > 0 ? byId : known;
  if (!found) throw notFound(kind ?? 'resource', wanted);
  if (!second) return found;
  const named = known.slice(0, MAX_NAMED).map((each) => `${each.kind}/${each.id}`);
  throw new AppError('conflict', `several resources are called '${wanted}': name one of ${named.join(', ')}`, {
    fields: { resources: named },
  });
}
