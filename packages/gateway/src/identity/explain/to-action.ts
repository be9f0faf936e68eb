/** Turns a question about a resource into the action that is decided. */
import type { ResourceQuestion } from '@gatehouse/contract/access/explain/explain';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Action } from '../../access/action.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';

type NameField = Exclude<keyof ResourceQuestion, 'user' | 'kind' | 'resource' | 'anyName'>;

const NAMES_OF: Record<Kind, readonly NameField[]> = {
  node: ['login'],
  desktop: ['login'],
  db: ['dbUser', 'dbName'],
  kube: ['kubeUser', 'kubeGroups', 'pod'],
  app: ['awsRoleArn', 'azureIdentity', 'gcpServiceAccount'],
};

const ALL_NAMES = [...new Set(Object.values(NAMES_OF).flat())];

export function toAction(question: ResourceQuestion, resource: Resource): Action {
  const { kind } = resource;
  const wrong = ALL_NAMES.find((name) => question[name] !== undefined && !NAMES_OF[kind].includes(name));
  if (wrong) {
    throw new AppError('bad_request', `'${wrong}' is not asked of a ${kind}: there it is ${NAMES_OF[kind].join(', ')}`);
  }
  const { login, dbUser, dbName, kubeUser, kubeGroups = [], pod } = question;
  switch (kind) {
    case 'node':
    case 'desktop':
      return login === undefined ? { type: 'see', kind, resource } : { type: 'connect', kind, resource, login };
    case 'db':
      if (dbUser === undefined) {
        if (dbName !== undefined) throw new AppError('bad_request', "'dbName' is asked together with 'dbUser'");
        return { type: 'see', kind, resource };
      }
      return { type: 'connect', kind, resource, dbUser, ...(dbName === undefined ? {} : { dbName }) };
    case 'kube':
      return {
        type: 'connect',
        kind,
        resource,
        groups: kubeGroups,
        ...(kubeUser === undefined ? {} : { user: kubeUser }),
        ...(pod === undefined ? {} : { pod }),
      };
    case 'app': {
      const { awsRoleArn, azureIdentity, gcpServiceAccount } = question;
      return {
        type: 'connect',
        kind,
        resource,
        ...(awsRoleArn === undefined ? {} : { awsRoleArn }),
        ...(azureIdentity === undefined ? {} : { azureIdentity }),
        ...(gcpServiceAccount === undefined ? {} : { gcpServiceAccount }),
      };
    }
    default:
      return kind satisfies never;
  }
}

/** The action in a few words, without the name of what it is done to. */
export function tellAction(action: Action): string {
  switch (action.type) {
    case 'verb':
      return `${action.verb} ${action.resource}`;
    case 'see':
      return 'see';
    case 'join':
      return `join a session as ${action.mode}`;
    case 'connect': {
      const names = namesIn(action);
      return names.length === 0 ? 'connect' : `connect as ${names.join(', ')}`;
    }
    default:
      return action satisfies never;
  }
}

function namesIn(action: Extract<Action, { type: 'connect' }>): string[] {
  const given = (...names: (string | undefined)[]) => names.filter((name) => name !== undefined);
  switch (action.kind) {
    case 'node':
    case 'desktop':
      return [action.login];
    case 'db':
      return given(action.dbUser, action.dbName && `on ${action.dbName}`);
    case 'kube':
      return given(action.user, ...action.groups, action.pod && `to pod ${action.pod.namespace}/${action.pod.name}`);
    case 'app':
      return given(action.awsRoleArn, action.azureIdentity, action.gcpServiceAccount);
    default:
      return action satisfies never;
  }
}
