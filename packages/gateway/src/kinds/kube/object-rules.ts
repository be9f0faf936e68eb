/** What somebody's roles say of the objects of one cluster, for one decision: whether a request may be sent, and what of its answer may pass. */
import type { ReachedResource } from '../../access/action.ts';
import type { Access, BoundRole, Labels } from '../../access/bind-access.ts';
import type { ObjectEntry } from '../../access/compile-objects.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import { givesNames } from './who-for.ts';

/** Those that allow it, whose names somebody may have for it. Of whoever owns the machine there are none. */
interface Allowing {
  roles: readonly string[];
  /** Each of them allows a part: under a name that only one of them gives, what another allows would be had too. */
  isParted: boolean;
}

export type ObjectVerdict =
  /** Every object the request can touch. */
  | ({ covers: 'all' } & Allowing)
  /** A list or a watch, to be filtered. */
  | ({ covers: 'some'; allows(namespace: string, name: string): boolean } & Allowing)
  /** An object that is made, and whose name only the body tells. */
  | ({ covers: 'named'; allows(name: string): boolean } & Allowing)
  /** `why` names the rule and the role. */
  | { covers: 'none'; why: string };

export interface ObjectRules {
  decide(request: KubeRequest): ObjectVerdict;
}

/** Whether a role alone gives the user and the groups that are asked for; undefined where none are. */
type GivesAsked = (role: string) => boolean;

/** To be asked for each decision anew: roles change. */
export function objectRules(
  access: Pick<AccessControl, 'decide' | 'of'>,
  actor: Actor,
  cluster: ReachedResource,
  gives?: GivesAsked,
): ObjectRules {
  if (actor.isOwner) return { decide: () => whole([]) };
  const isReached = access.decide(actor, { type: 'connect', kind: 'kube', resource: cluster, groups: [] }).allowed;
  if (!isReached) return { decide: () => ({ covers: 'none', why: 'none of your roles reaches this cluster' }) };
  const bound = access.of(actor);
  return { decide: (request) => decideObjects(bound, cluster, request, gives) };
}

/** What somebody may do: each asks about the asker alone, and nothing is kept. */
const ABOUT_ONESELF: ReadonlySet<string> = new Set([
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authentication.k8s.io/selfsubjectreviews',
]);

export function decideObjects(
  access: Access,
  { labels }: ReachedResource,
  request: KubeRequest,
  gives?: GivesAsked,
): ObjectVerdict {
  const reaching = access.roles.filter(({ allow }) => allow.labels.get('kubernetes_labels')?.matches(labels));
  const isFree =
    request.about === 'discovery' ||
    (request.verb === 'create' && ABOUT_ONESELF.has(`${request.apiGroup}/${request.resource}`));
  if (isFree) return whole(reaching);
  return request.name === ''
    ? decideCollection(access, labels, reaching, request, gives)
    : decideNamed(access, reaching, request, request.name);
}

/**
 * The roles that a collection is decided by. One that names nobody to be there, as `access` for somebody whose record lists no groups,
 * would otherwise allow the whole of it under a bare name, which clusters know nothing of, and so take away the part that another gives.
 */
function candidatesOf(
  access: Access,
  labels: Labels,
  { verb }: KubeRequest,
  touching: readonly BoundRole[],
  gives: GivesAsked | undefined,
): readonly BoundRole[] {
  const isPartOfUse = verb === 'list' || verb === 'watch' || verb === 'create';
  const counts = gives ?? ((role: string) => isPartOfUse && givesNames(access, labels, role));
  const giving = touching.filter(({ name }) => counts(name));
  return giving.length > 0 ? giving : touching;
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
  return allowing.length > 0 ? whole(allowing) : unallowed(reaching);
}

function decideCollection(
  access: Access,
  labels: Labels,
  reaching: readonly BoundRole[],
  request: KubeRequest,
  gives?: GivesAsked,
): ObjectVerdict {
  const { namespace, verb, selectedName } = request;
  /** Something of the collection could lie there. Over all namespaces, anything could. */
  const touches = (entry: ObjectEntry) =>
    entry.isAbout(request) && (namespace === '' || entry.namespace.matches(namespace));
  const isWhole = (entry: ObjectEntry) =>
    touches(entry) && entry.name.matchesAll && (namespace !== '' || entry.namespace.matchesAll);

  const denied = deniedBy(access, isWhole);
  if (denied) return { covers: 'none', why: denies(denied) };
  const touching = reaching.filter(({ allow }) => allow.objects.some(touches));
  if (touching.length === 0) return unallowed(reaching);
  const candidates = candidatesOf(access, labels, request, touching, gives);
  const ofAll = candidates.filter(({ allow }) => allow.objects.some(isWhole));
  const partly = deniedBy(access, touches);
  if (!partly && ofAll.length > 0) return whole(ofAll);
  // A role that allows a part gives its names for that part, and not for what another allows.
  const allowing = ofAll.length > 0 ? ofAll : candidates;
  const roles = namesOf(allowing);
  const isParted = ofAll.length === 0 && allowing.length > 1;

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
    return { covers: 'some', roles, isParted, allows };
  }
  if (verb === 'create') return { covers: 'named', roles, isParted, allows: (name) => allows(namespace, name) };
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

function whole(roles: readonly BoundRole[]): ObjectVerdict {
  return { covers: 'all', roles: namesOf(roles), isParted: false };
}

function namesOf(roles: readonly BoundRole[]): string[] {
  return roles.map(({ name }) => name);
}

function told(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
