/** What somebody's roles say of the objects of one cluster, for one decision: whether a request may be sent, and what of its answer may pass. */
import type { ReachedResource } from '../../access/action.ts';
import type { Access, BoundRole } from '../../access/bind-access.ts';
import type { ObjectEntry } from '../../access/compile-objects.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { KubeRequest } from './engine/kube-request.ts';

/** `roles`: those that allow it, whose names somebody may have for it. Of whoever owns the machine there are none. */
export type ObjectVerdict =
  /** Every object the request can touch. */
  | { covers: 'all'; roles: readonly string[] }
  /** A list or a watch, to be filtered. */
  | { covers: 'some'; roles: readonly string[]; allows(namespace: string, name: string): boolean }
  /** An object that is made, and whose name only the body tells. */
  | { covers: 'named'; roles: readonly string[]; allows(name: string): boolean }
  /** `why` names the rule and the role. */
  | { covers: 'none'; why: string };

export interface ObjectRules {
  decide(request: KubeRequest): ObjectVerdict;
}

/** To be asked for each decision anew: roles change. */
export function objectRules(
  access: Pick<AccessControl, 'decide' | 'of'>,
  actor: Actor,
  cluster: ReachedResource,
): ObjectRules {
  if (actor.isOwner) return { decide: () => ({ covers: 'all', roles: [] }) };
  const isReached = access.decide(actor, { type: 'connect', kind: 'kube', resource: cluster, groups: [] }).allowed;
  if (!isReached) return { decide: () => ({ covers: 'none', why: 'none of your roles reaches this cluster' }) };
  const bound = access.of(actor);
  return { decide: (request) => decideObjects(bound, cluster, request) };
}

/** What somebody may do: each asks about the asker alone, and nothing is kept. */
const ABOUT_ONESELF: ReadonlySet<string> = new Set([
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authentication.k8s.io/selfsubjectreviews',
]);

export function decideObjects(access: Access, { labels }: ReachedResource, request: KubeRequest): ObjectVerdict {
  const reaching = access.roles.filter(({ allow }) => allow.labels.get('kubernetes_labels')?.matches(labels));
  const isFree =
    request.about === 'discovery' ||
    (request.verb === 'create' && ABOUT_ONESELF.has(`${request.apiGroup}/${request.resource}`));
  if (isFree) return { covers: 'all', roles: namesOf(reaching) };
  return request.name === ''
    ? decideCollection(access, reaching, request)
    : decideNamed(access, reaching, request, request.name);
}

function decideNamed(
  access: Access,
  reaching: readonly BoundRole[],
  request: KubeRequest,
  name: string,
): ObjectVerdict {
  const object = { ...request, name };
  const denied = deniedBy(access, (entry) => entry.matches(object));
  if (denied) return { covers: 'none', why: denies(denied) };
  const allowing = reaching.filter(({ allow }) => allow.objects.some((entry) => entry.matches(object)));
  return allowing.length > 0 ? { covers: 'all', roles: namesOf(allowing) } : unallowed(reaching);
}

function decideCollection(access: Access, reaching: readonly BoundRole[], request: KubeRequest): ObjectVerdict {
  const { namespace, verb, selectedName } = request;
  /** Something of the collection could lie there. Over all namespaces, anything could. */
  const touches = (entry: ObjectEntry) =>
    entry.isAbout(request) && (namespace === '' || entry.namespace.matches(namespace));
  const isWhole = (entry: ObjectEntry) =>
    touches(entry) && entry.name.matchesAll && (namespace !== '' || entry.namespace.matchesAll);

  const denied = deniedBy(access, isWhole);
  if (denied) return { covers: 'none', why: denies(denied) };
  const allowing = reaching.filter(({ allow }) => allow.objects.some(touches));
  if (allowing.length === 0) return unallowed(reaching);
  const roles = namesOf(allowing);
  const partly = deniedBy(access, touches);
  if (!partly && allowing.some(({ allow }) => allow.objects.some(isWhole))) return { covers: 'all', roles };

  const allows = (where: string, name: string) => {
    const object = { ...request, namespace: where, name };
    return (
      !deniedBy(access, (entry) => entry.matches(object)) &&
      allowing.some(({ allow }) => allow.objects.some((entry) => entry.matches(object)))
    );
  };
  if (verb === 'list' || verb === 'watch') {
    // One name that may not be seen is refused: an empty list would say that it is not there.
    if (selectedName !== '' && namespace !== '' && !allows(namespace, selectedName))
      return decideNamed(access, reaching, request, selectedName);
    return { covers: 'some', roles, allows };
  }
  if (verb === 'create') return { covers: 'named', roles, allows: (name) => allows(namespace, name) };
  const why = partly ? denies(partly) : `your roles ${told(roles)} allow it for some of them only`;
  return { covers: 'none', why: `${why}; what is done to a whole collection must be allowed for all of it` };
}

function deniedBy({ roles }: Access, matches: (entry: ObjectEntry) => boolean): ObjectEntry | undefined {
  for (const { deny } of roles) {
    const found = deny.objects.find(matches);
    if (found) return found;
  }
  return undefined;
}

function denies({ clause }: ObjectEntry): string {
  return `role '${clause.role}' denies it by ${clause.path}`;
}

function unallowed(reaching: readonly BoundRole[]): ObjectVerdict {
  return { covers: 'none', why: `no entry of kubernetes_resources in your roles ${told(namesOf(reaching))} allows it` };
}

function namesOf(roles: readonly BoundRole[]): string[] {
  return roles.map(({ name }) => name);
}

function told(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
