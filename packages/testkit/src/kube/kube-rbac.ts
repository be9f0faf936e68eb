/** Decides by the roles and bindings that are in the store: as much of RBAC as there is, without aggregation. */
import type { KubeIdentity, WantedObject } from './kube-identity.ts';
import { at, type JsonRecord, type KubeObject, list, record, strings, text } from './kube-object.ts';
import type { KubeStore } from './kube-store.ts';
import type { KubeType, KubeTypes } from './kube-types.ts';

const GROUP = 'rbac.authorization.k8s.io';

export interface KubeRbac {
  may(who: KubeIdentity, wanted: WantedObject): boolean;
  mayPath(who: KubeIdentity, verb: string, path: string): boolean;
  /** All rules that hold for somebody in a namespace. */
  rules(who: KubeIdentity, namespace: string): JsonRecord[];
}

export function createRbac(types: KubeTypes, store: KubeStore): KubeRbac {
  const typeOf = (plural: string) => types.find(GROUP, 'v1', plural) as KubeType;
  const roleOf = (binding: KubeObject): JsonRecord[] => {
    const { kind, name } = record(binding.roleRef);
    const isCluster = kind === 'ClusterRole';
    const type = typeOf(isCluster ? 'clusterroles' : 'roles');
    const namespace = isCluster ? '' : (binding.metadata.namespace ?? '');
    if (!store.has(type, namespace, text(name))) return [];
    return list(store.get(type, namespace, text(name)).object.rules).map(record);
  };
  const rules = (who: KubeIdentity, namespace: string): JsonRecord[] => {
    const everywhere = store.list(typeOf('clusterrolebindings'), '');
    const here = namespace === '' ? [] : store.list(typeOf('rolebindings'), namespace);
    return [...everywhere, ...here].filter(({ object }) => binds(object, who)).flatMap(({ object }) => roleOf(object));
  };
  const isMaster = ({ groups }: KubeIdentity) => groups.includes('system:masters');
  return {
    rules,
    may: (who, wanted) => isMaster(who) || rules(who, wanted.namespace).some((rule) => allows(rule, wanted)),
    mayPath: (who, verb, path) =>
      isMaster(who) ||
      rules(who, '').some(
        (rule) =>
          includes(rule.verbs, verb) &&
          strings(rule.nonResourceURLs).some((url) =>
            url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url,
          ),
      ),
  };
}

function binds(binding: KubeObject, { user, groups }: KubeIdentity): boolean {
  return list(binding.subjects).some((subject) => {
    const name = text(at(subject, 'name'));
    const kind = at(subject, 'kind');
    if (kind === 'User') return name === user;
    if (kind === 'Group') return groups.includes(name);
    return user === `system:serviceaccount:${text(at(subject, 'namespace'))}:${name}`;
  });
}

function allows(rule: JsonRecord, { verb, group, resource, name }: WantedObject): boolean {
  const names = strings(rule.resourceNames);
  const [, subresource] = resource.split('/');
  const isNamed =
    includes(rule.resources, resource) ||
    (subresource !== undefined && strings(rule.resources).includes(`*/${subresource}`));
  return (
    includes(rule.verbs, verb) &&
    includes(rule.apiGroups, group) &&
    isNamed &&
    (names.length === 0 || (name !== '' && names.includes(name)))
  );
}

function includes(values: JsonRecord[string], wanted: string): boolean {
  return strings(values).some((value) => value === '*' || value === wanted);
}
