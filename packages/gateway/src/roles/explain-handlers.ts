/** Answers who can reach a resource, and why somebody can or cannot. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { explainRoutes } from '@gatehouse/contract/roles/explain';
import type { PrincipalField } from '@gatehouse/contract/roles/vocabulary';
import type { Body } from '@gatehouse/contract/route';
import { CURRENT_CLUSTER } from '@gatehouse/contract/shell/clusters';
import type { Action } from '../access/action.ts';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import { decide } from '../access/decide.ts';
import { explain, tellChange } from '../access/explain.ts';
import { principalsFor } from '../access/principals-for.ts';
import type { Handlers } from '../http/call.ts';
import { findResource, type Resource } from '../inventory/resource-store.ts';
import { AppError, notFound } from '../std/app-error.ts';
import type { Db } from '../storage/tables.ts';
import { findUser, listUsers, type User } from '../users/user-store.ts';

export interface ExplainDeps {
  db: Db;
  access: AccessControl;
  clusterName: string;
}

/** The names that connecting to a kind takes; apps take none. */
const NAMES_OF: Record<Kind, PrincipalField | undefined> = {
  node: 'logins',
  desktop: 'windows_desktop_logins',
  db: 'db_users',
  kube: 'kubernetes_users',
  app: undefined,
};

const TAKES_NAME: ReadonlySet<Kind> = new Set<Kind>(['node', 'desktop', 'db']);

export function explainHandlers({ db, access, clusterName }: ExplainDeps): Handlers<typeof explainRoutes> {
  async function read(actor: Actor, clusterId: string, kind: Kind, id: string): Promise<Resource> {
    if (clusterId !== CURRENT_CLUSTER && clusterId !== clusterName) throw notFound('cluster', clusterId);
    // The answer tells what users hold: it takes the right to read them, too.
    if (!actor.acl.users.read)
      throw new AppError('denied', "access denied: none of your roles allows 'read' on 'users'");
    const resource = await findResource(db, { cluster: clusterName, kind, id });
    if (!resource) throw notFound(kind, id);
    return resource;
  }
  const holding = ({ name, roles, traits }: User) => access.of({ username: name, roles, traits });

  return {
    async explain({ actor, params: { clusterId }, body }) {
      const resource = await read(actor, clusterId, body.kind, body.resource);
      const user = await findUser(db, body.user);
      if (!user) throw notFound('user', body.user);
      const action = actionFor(resource, body);
      const { change, reasons, ...rest } = explain(holding(user), action);
      const lock = access.lockFor({ username: user.name, roles: user.roles }, action);
      return {
        ...rest,
        reasons: reasons.map(({ traits, ...reason }) => ({ ...reason, ...(traits ? { traits: [...traits] } : {}) })),
        change: change.map((each) => ({ ...each, sentence: tellChange(each) })),
        allowed: rest.allowed && !lock,
        ...(lock ? { lock: { name: lock.id, message: lock.message } } : {}),
      };
    },

    async who({ actor, params: { clusterId }, query: { kind, resource: id } }) {
      const resource = await read(actor, clusterId, kind, id);
      const field = NAMES_OF[kind];
      return (await listUsers(db)).flatMap((user) => {
        const held = holding(user);
        const names = field ? principalsFor(held, kind, resource.labels, field) : [];
        if (TAKES_NAME.has(kind) && names.length === 0) return [];
        const action = actionFor(resource, { kind, as: TAKES_NAME.has(kind) ? names[0] : undefined, groups: [] });
        const { allowed, cited } = decide(held, action);
        if (!allowed || access.lockOn({ username: user.name, roles: user.roles })) return [];
        return [{ user: user.name, names, roles: [...new Set(cited.map(({ role }) => role))] }];
      });
    },
  };
}

type Wanted = Pick<Body<(typeof explainRoutes)['explain']>, 'kind' | 'as' | 'dbName' | 'groups'>;

function actionFor(resource: Resource, { kind, as, dbName, groups }: Wanted): Action {
  const named = () => {
    if (as !== undefined) return as;
    throw new AppError('bad_request', `say as whom: connecting to a ${kind} takes a name`);
  };
  switch (kind) {
    case 'node':
    case 'desktop':
      return { type: 'connect', kind, resource, login: named() };
    case 'db':
      return { type: 'connect', kind, resource, dbUser: named(), ...(dbName === undefined ? {} : { dbName }) };
    case 'kube':
      return { type: 'connect', kind, resource, groups, ...(as === undefined ? {} : { user: as }) };
    case 'app':
      return { type: 'connect', kind, resource };
    default:
      return kind satisfies never;
  }
}
