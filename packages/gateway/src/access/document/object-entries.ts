/** What each version of roles lets stand in an entry about objects of a cluster. A word that one version knows and another does not would deny nothing there. */
import {
  CORE_RESOURCES,
  type KubeObjectRule,
  type KubeResource,
  V7_KINDS,
} from '@gatehouse/contract/access/roles/kube-objects';
import type { RoleVersion } from '@gatehouse/contract/access/roles/vocabulary';
import { namesPodsOnly } from '../compile-objects.ts';

export interface EntryProblem {
  /** None: the entry lacks something. */
  field: keyof KubeObjectRule | undefined;
  message: string;
}

const PLURAL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const GROUP = /^[a-z0-9.*-]*$/;

export function entryProblems(version: RoleVersion, rule: KubeObjectRule): EntryProblem[] {
  if (version === 'v8') return [...v8Problems(rule), ...namespaceProblems(rule, CORE_RESOURCES.get(rule.kind))];
  const problems: EntryProblem[] = [];
  if (rule.api_group !== undefined)
    problems.push({ field: 'api_group', message: 'is known from version v8 on: before it, kinds say their group' });
  if (namesPodsOnly(version) && rule.kind !== 'pod')
    problems.push({ field: 'kind', message: "must be 'pod': roles name other kinds from version v7 on" });
  else if (rule.kind !== '*' && !V7_KINDS.has(rule.kind))
    problems.push({ field: 'kind', message: `must be one of *, ${[...V7_KINDS.keys()].join(', ')}` });
  return [...problems, ...namespaceProblems(rule, V7_KINDS.get(rule.kind))];
}

function v8Problems({ kind, api_group }: KubeObjectRule): EntryProblem[] {
  if (kind !== '*' && !PLURAL.test(kind))
    return [{ field: 'kind', message: "must be '*' or a plural in lower case, as in 'pods'" }];
  if (api_group !== undefined && !isGroup(api_group))
    return [{ field: 'api_group', message: "must be a group such as 'apps', '' for that of pods, or '*'" }];
  if (api_group !== undefined || CORE_RESOURCES.has(kind)) return [];
  const meant = V7_KINDS.get(kind);
  if (meant) return [{ field: 'kind', message: `is named by its plural from version v8 on: '${meant.resource}'` }];
  return [{ field: undefined, message: "must say api_group: 'apps' for deployments, '' for pods, '*' for any" }];
}

function isGroup(text: string): boolean {
  return GROUP.test(text) || (text.startsWith('^') && text.endsWith('$'));
}

function namespaceProblems({ kind, namespace = '' }: KubeObjectRule, known: KubeResource | undefined): EntryProblem[] {
  if (known?.isWide && namespace !== '' && namespace !== '*')
    return [{ field: 'namespace', message: `must be left out: ${kind} lies in no namespace` }];
  if (known && !known.isWide && namespace === '')
    return [{ field: undefined, message: "must say namespace: '*' for all" }];
  if (kind === '*' && namespace === '') return [{ field: undefined, message: "must say namespace: '*' for all" }];
  return [];
}
