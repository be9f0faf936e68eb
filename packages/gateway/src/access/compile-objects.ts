/** What a role says of the objects of a cluster, made ready to be asked: each version of roles names kinds in its own way. */
import {
  CORE_RESOURCES,
  type KubeObject,
  type KubeObjectRule,
  sameGroups,
  V7_KINDS,
} from '@gatehouse/contract/access/roles/kube-objects';
import type { RoleVersion } from '@gatehouse/contract/access/roles/vocabulary';
import type { Clause } from './clause.ts';
import { literalPattern, type Pattern, parsePattern } from './match/pattern.ts';

export interface ObjectEntry {
  clause: Clause;
  /** For comparing what two roles give: as short as it says all. */
  text: string;
  /** Whether it is about objects of this sort and what is done to them, wherever they lie. */
  isAbout(object: Pick<KubeObject, 'apiGroup' | 'resource' | 'verb'>): boolean;
  namespace: Pattern;
  name: Pattern;
  matches(object: KubeObject): boolean;
}

type Kinds = (apiGroup: string, resource: string) => boolean;

const ANY = parsePattern('*');
/** Where no namespace is written under allow: only what lies in none. */
const OUTSIDE = literalPattern('');

/** Roles before this version know pods alone: other objects are left to the cluster. */
export function namesPodsOnly(version: RoleVersion): boolean {
  return version === 'v3' || version === 'v4' || version === 'v5' || version === 'v6';
}

export function compileObjects(
  version: RoleVersion,
  side: 'allow' | 'deny',
  written: readonly KubeObjectRule[] | undefined,
  at: (path: string) => Clause,
): ObjectEntry[] {
  const entries = (written ?? []).flatMap((rule, index) =>
    compileEntry(version, rule, at(`kubernetes_resources[${index}]`)),
  );
  if (side === 'deny') return entries;
  const whole = at('kubernetes_resources');
  // Written or not, this version speaks of pods; and without a word it gives none of them, as no other version does.
  if (version === 'v6') return [...entries, entry(whole, butPods, 'everything but pods', undefined, ANY, ANY)];
  if (written === undefined) return [entry(whole, everyKind, 'everything', undefined, ANY, ANY)];
  if (!namesPodsOnly(version)) return entries;
  return [...entries, entry(whole, butPods, 'everything but pods', undefined, ANY, ANY)];
}

function compileEntry(version: RoleVersion, rule: KubeObjectRule, clause: Clause): ObjectEntry[] {
  const name = parsePattern(rule.name);
  const namespace = namespaceOf(rule, clause.side);
  const made = (kinds: Kinds, kind: string, where: Pattern, which: Pattern) =>
    entry(clause, kinds, textOf(kind, where, which, rule.verbs), rule.verbs, where, which);
  if (rule.kind === '*') {
    const group = parsePattern(rule.api_group ?? '*');
    const kinds: Kinds = (apiGroup, resource) => sameGroups(apiGroup, resource).some(group.matches);
    return [made(kinds, group.matchesAll ? '*' : `*.${group.text}`, namespace, name)];
  }
  if (version === 'v8') {
    const group = parsePattern(rule.api_group ?? '');
    const kinds: Kinds = (apiGroup, resource) =>
      resource === rule.kind && sameGroups(apiGroup, resource).some(group.matches);
    return [made(kinds, group.text === '' ? rule.kind : `${rule.kind}.${group.text}`, namespace, name)];
  }
  const known = V7_KINDS.get(rule.kind);
  // The schema of a document that was read lets no other through; nothing is given by one that did.
  if (!known) return [];
  const kinds: Kinds = (apiGroup, resource) =>
    resource === known.resource && sameGroups(known.apiGroup, resource).includes(apiGroup);
  const kind = known.apiGroup === '' ? known.resource : `${known.resource}.${known.apiGroup}`;
  const own = made(kinds, kind, known.isWide ? ANY : namespace, name);
  // In this version a namespace is all that lies in it.
  const where = clause.side === 'deny' ? name : inside(name);
  return rule.kind === 'namespace' ? [own, made(everyKind, '*', where, ANY)] : [own];
}

/** What lies in no namespace lies in none of them: nodes and cluster roles are not given with every namespace. */
function inside(name: Pattern): Pattern {
  if (!name.matches('')) return name;
  const matches = (namespace: string) => namespace !== '' && name.matches(namespace);
  return { ...name, text: 'any namespace', matches, matchesAll: false };
}

function namespaceOf({ namespace }: KubeObjectRule, side: 'allow' | 'deny'): Pattern {
  if (namespace !== undefined && namespace !== '') return parsePattern(namespace);
  return side === 'deny' ? ANY : OUTSIDE;
}

function entry(
  clause: Clause,
  kinds: Kinds,
  text: string,
  verbs: readonly string[] | undefined,
  namespace: Pattern,
  name: Pattern,
): ObjectEntry {
  const allowed = verbs === undefined || verbs.includes('*') ? undefined : new Set(verbs);
  const isAbout: ObjectEntry['isAbout'] = ({ verb, apiGroup, resource }) =>
    (allowed === undefined || allowed.has(verb)) && kinds(apiGroup, resource);
  return {
    clause,
    text,
    isAbout,
    namespace,
    name,
    matches: (object) => isAbout(object) && namespace.matches(object.namespace) && name.matches(object.name),
  };
}

const everyKind: Kinds = () => true;
const butPods: Kinds = (apiGroup, resource) => resource !== 'pods' || !sameGroups('', 'pods').includes(apiGroup);

function textOf(kind: string, namespace: Pattern, name: Pattern, verbs: readonly string[] | undefined): string {
  const where = namespace === OUTSIDE ? name.text : `${namespace.text}/${name.text}`;
  return `${kind} ${where}${verbs === undefined || verbs.includes('*') ? '' : ` (${[...verbs].sort().join(', ')})`}`;
}

/** The narrowest entry by which a role of this version would allow it. */
export function entryFor(version: RoleVersion, object: KubeObject): KubeObjectRule {
  const { apiGroup, resource, namespace, name, verb } = object;
  const where = { ...(namespace === '' ? {} : { namespace }), name, verbs: [verb] };
  if (version === 'v8') {
    const isCore = apiGroup === '' && CORE_RESOURCES.has(resource);
    return { kind: resource, ...(isCore ? {} : { api_group: apiGroup }), ...where };
  }
  const known = [...V7_KINDS].find(
    ([, each]) => each.resource === resource && sameGroups(each.apiGroup, resource).includes(apiGroup),
  );
  return { kind: known?.[0] ?? '*', ...where, ...(known || namespace !== '' ? {} : { namespace: '*' }) };
}

/** As one would write it. */
export function tellEntry({ kind, api_group, namespace, name, verbs }: KubeObjectRule): string {
  const fields = { kind, api_group, namespace, name, verbs: verbs && `[${verbs.join(', ')}]` };
  const written = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `{ ${written.map(([field, value]) => `${field}: ${value === '*' || value === '' ? `'${value}'` : value}`).join(', ')} }`;
}

export function tellObject({ verb, apiGroup, resource, namespace, name }: KubeObject): string {
  const kind = apiGroup === '' ? resource : `${resource}.${apiGroup}`;
  return `${verb} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}
