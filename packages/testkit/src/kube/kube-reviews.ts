/** Questions to the small cluster that make no object: who may what, who am I, a token for an account, what pods and nodes use. */
import { randomBytes } from 'node:crypto';
import type { KubeIdentity, KubeTokens } from './kube-identity.ts';
import {
  at,
  type Json,
  type JsonRecord,
  KubeFailure,
  type KubeObject,
  list,
  now,
  record,
  strings,
  text,
} from './kube-object.ts';
import type { KubeRbac } from './kube-rbac.ts';
import { apiVersionOf, type KubeType } from './kube-types.ts';

const HOUR_SECONDS = 3_600;

/** Nothing where the type is one of objects. */
export function review(type: KubeType, body: Json, who: KubeIdentity, rbac: KubeRbac): JsonRecord | undefined {
  const given = record(body);
  const head = { kind: type.kind, apiVersion: apiVersionOf(type), metadata: { creationTimestamp: null } };
  const spec = record(given.spec);
  switch (type.kind) {
    case 'SelfSubjectAccessReview':
      return { ...head, spec, status: answer(rbac, who, spec) };
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
      return { ...head, spec, status: answer(rbac, { user: text(spec.user), groups: strings(spec.groups) }, spec) };
    case 'SelfSubjectRulesReview': {
      const rules = rbac.rules(who, text(spec.namespace));
      return {
        ...head,
        spec: {},
        status: {
          resourceRules: rules.filter((rule) => rule.resources !== undefined),
          nonResourceRules: rules.filter((rule) => rule.nonResourceURLs !== undefined),
          incomplete: false,
        },
      };
    }
    case 'SelfSubjectReview':
      return { ...head, status: { userInfo: { username: who.user, groups: [...who.groups] } } };
    default:
      return undefined;
  }
}

function answer(rbac: KubeRbac, who: KubeIdentity, spec: JsonRecord): JsonRecord {
  const path = spec.nonResourceAttributes;
  const wanted = record(spec.resourceAttributes);
  const subresource = text(wanted.subresource);
  const isAllowed =
    path === undefined
      ? rbac.may(who, {
          verb: text(wanted.verb),
          group: text(wanted.group),
          resource: text(wanted.resource) + (subresource === '' ? '' : `/${subresource}`),
          namespace: text(wanted.namespace),
          name: text(wanted.name),
        })
      : rbac.mayPath(who, text(at(path, 'verb')), text(at(path, 'path')));
  return isAllowed ? { allowed: true, reason: 'RBAC: allowed' } : { allowed: false };
}

/** `serviceaccounts/token` */
export function giveToken(account: KubeObject, body: Json, tokens: KubeTokens): JsonRecord {
  const spec = record(record(body).spec);
  const seconds = Number(spec.expirationSeconds ?? HOUR_SECONDS);
  if (seconds < 600) {
    throw new KubeFailure(
      422,
      'Invalid',
      `TokenRequest.authentication.k8s.io "${account.metadata.name}" is invalid: spec.expirationSeconds: Invalid value: ${seconds}: may not specify a duration less than 10 minutes`,
    );
  }
  const { name, namespace = '' } = account.metadata;
  const token = `sa.${randomBytes(24).toString('base64url')}`;
  const expires = Date.now() + seconds * 1_000;
  tokens.add(token, accountIdentity(namespace, name), expires);
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: now() },
    spec: {
      audiences: ['https://kubernetes.default.svc'],
      expirationSeconds: seconds,
      boundObjectRef: spec.boundObjectRef ?? null,
    },
    status: { token, expirationTimestamp: new Date(expires).toISOString().replace(/\.\d+Z$/, 'Z') },
  };
}

export function accountIdentity(namespace: string, name: string): KubeIdentity {
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}

/** `metrics.k8s.io`: the same small use for everything. */
export function metricsOf(type: KubeType, object: KubeObject): KubeObject {
  const { name, namespace, labels } = object.metadata;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels, creationTimestamp: now() };
  const usage = { cpu: '250m', memory: '64Mi' };
  const containers = list(at(object, 'spec', 'containers')).map((each) => ({ name: text(at(each, 'name')), usage }));
  return {
    kind: type.kind,
    apiVersion: apiVersionOf(type),
    metadata,
    timestamp: now(),
    window: '15s',
    ...(type.namespaced ? { containers } : { usage }),
  };
}
