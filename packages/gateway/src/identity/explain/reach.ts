/** Everything a user may be on resources of one kind that certain roles of theirs match, in a form that can be compared. Pure; agrees with the decision for every name. */

import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Access, BoundRole } from '../../access/bind-access.ts';

/** Which names a field allows. With `any`, all but what `except` says. */
export interface Names {
  any: boolean;
  values: ReadonlySet<string>;
  allows(name: string): boolean;
  /** Patterns that are denied; only told apart where any name would be allowed. */
  except: ReadonlySet<string>;
}

export interface Reach {
  /** For kinds that can be reached without a name. */
  connect: boolean;
  fields: ReadonlyMap<PrincipalField, Names>;
  /** The databases that go with a database user; nothing for a user that is not allowed. */
  databasesFor(user: string): Names;
  pods: ReadonlySet<string>;
  deniedPods: ReadonlySet<string>;
}

/** The names a kind of resource is reached by, and whether it can be reached without any. */
export const REACHED_BY: Record<Kind, { fields: readonly PrincipalField[]; nameless: boolean }> = {
  node: { fields: ['logins'], nameless: false },
  app: { fields: ['aws_role_arns', 'azure_identities', 'gcp_service_accounts'], nameless: true },
  kube: { fields: ['kubernetes_users', 'kubernetes_groups'], nameless: true },
  db: { fields: ['db_users'], nameless: false },
  desktop: { fields: ['windows_desktop_logins'], nameless: false },
};

const NO_NAMES: Names = { any: false, values: new Set(), allows: () => false, except: new Set() };

export const NO_REACH: Reach = {
  connect: false,
  fields: new Map(),
  databasesFor: () => NO_NAMES,
  pods: new Set(),
  deniedPods: new Set(),
};

/** `matching`: the roles whose labels reach the resource. Labels that deny it must have been asked before. */
export function reachOf(access: Access, kind: Kind, matching: readonly BoundRole[]): Reach {
  if (matching.length === 0) return NO_REACH;
  const { fields, nameless } = REACHED_BY[kind];
  const names = new Map(fields.map((field) => [field, namesIn(access, matching, field)]));
  const users = names.get('db_users');
  return {
    connect: nameless,
    fields: names,
    databasesFor(user) {
      const isAny = user === '*';
      if (!users || !(isAny ? users.any : users.allows(user))) return NO_NAMES;
      const granting = matching.filter(({ allow }) => {
        const allowed = allow.principals.get('db_users');
        return allowed !== undefined && (allowed.any || (!isAny && allowed.values.has(user)));
      });
      return namesIn(access, granting, 'db_names');
    },
    pods: new Set(kind === 'kube' ? matching.flatMap(({ allow }) => podTexts(allow)) : []),
    deniedPods: new Set(kind === 'kube' ? access.roles.flatMap(({ deny }) => podTexts(deny)) : []),
  };
}

function namesIn(access: Access, matching: readonly BoundRole[], field: PrincipalField): Names {
  const folds = field === 'windows_desktop_logins';
  const denying = access.roles.flatMap(({ deny }) => deny.principals.get(field) ?? []);
  const denies = (name: string) => denying.some((entry) => (folds ? entry.matchesFolded(name) : entry.matches(name)));
  const allowed = matching.flatMap(({ allow }) => allow.principals.get(field) ?? []);
  const any = allowed.some((each) => each.any) && !access.roles.some((role) => deniesAll(role, field));
  const values = new Set(allowed.flatMap((each) => [...each.values]).filter((name) => !denies(name)));
  return {
    any,
    values,
    allows: (name) => (any || values.has(name)) && !denies(name),
    except: any ? new Set(access.roles.flatMap((role) => deniedTexts(access, role, field))) : new Set(),
  };
}

function deniesAll({ role }: BoundRole, field: PrincipalField): boolean {
  return (role.deny.principals.get(field) ?? []).some(({ source }) => 'pattern' in source && source.pattern.matchesAll);
}

function deniedTexts(access: Access, { role }: BoundRole, field: PrincipalField): string[] {
  return (role.deny.principals.get(field) ?? []).flatMap(({ source }) =>
    'pattern' in source ? [source.pattern.text] : source.template.expand(access.traits),
  );
}

function podTexts({ pods }: Pick<BoundRole['allow'], 'pods'>): string[] {
  return pods.map(({ namespace, name }) => `${namespace.text}/${name.text}`);
}
