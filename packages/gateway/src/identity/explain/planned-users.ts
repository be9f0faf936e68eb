/** The users a planned change is about, with what they hold before and after it. */
import type { PlannedChange } from '@gatehouse/contract/access/explain/what-if';
import { type Access, bindAccess } from '../../access/bind-access.ts';
import { type CompiledRole, compileRole } from '../../access/compile-role.ts';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { parseRole } from '../../access/document/role-document.ts';
import { requireKnownRoles } from '../../access/escalation.ts';
import { recordTraits, templateTraits } from '../../access/user-traits.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findUser, findUsers, listUsers } from '../stores/user-store.ts';
import type { AffectedUser } from './what-if.ts';

interface PlanDeps {
  db: Db;
  access: Pick<AccessControl, 'of' | 'role' | 'roleNames'>;
  now: () => number;
}

type Person = Pick<Subject, 'roles' | 'traits'> & { name: string };

/** `only`: one user, when just their part of it is wanted. */
export async function plannedUsers(deps: PlanDeps, change: PlannedChange, only?: string): Promise<AffectedUser[]> {
  const { db, access } = deps;
  const people = async () =>
    only === undefined ? await listUsers(db) : [await findUser(db, only)].filter((user) => user !== undefined);
  switch (change.type) {
    case 'save-role': {
      const role = compileRole(parseRole(change.content).document);
      return withRole(deps, await people(), role.name, role);
    }
    case 'delete-role':
      if (!access.role(change.name)) throw notFound('role', change.name);
      return withRole(deps, await people(), change.name, undefined);
    case 'change-user': {
      if (only !== undefined && only !== change.name) return [];
      if (change.roles) requireKnownRoles(access, change.roles);
      const person = (await findUser(db, change.name)) ?? { name: change.name, roles: [], traits: {} };
      const after = {
        name: change.name,
        roles: change.roles ?? person.roles,
        traits: { ...person.traits, ...recordTraits(change.traits ?? {}) },
      };
      return [{ user: change.name, before: access.of(subjectOf(person)), after: access.of(subjectOf(after)) }];
    }
    case 'delete-user': {
      if (only !== undefined && only !== change.name) return [];
      const person = await findUser(db, change.name);
      if (!person) throw notFound('user', change.name);
      const after = { name: change.name, roles: [], traits: {} };
      return [{ user: change.name, before: access.of(subjectOf(person)), after: access.of(subjectOf(after)) }];
    }
    case 'change-users': {
      const { names, add = [], remove = [] } = change;
      requireKnownRoles(access, add);
      const wanted = names.filter((name) => only === undefined || only === name);
      return (await findUsers(db, wanted)).map((person) => {
        const roles = [...new Set([...person.roles, ...add])].filter((role) => !remove.includes(role));
        const after = { ...person, roles };
        return { user: person.name, before: access.of(subjectOf(person)), after: access.of(subjectOf(after)) };
      });
    }
    default:
      return change satisfies never;
  }
}

function withRole(
  { access, now }: PlanDeps,
  people: readonly Person[],
  name: string,
  draft: CompiledRole | undefined,
): AffectedUser[] {
  const time = now();
  const role = (held: string) => (held === name ? draft : access.role(held));
  const bound = new Map<string, Access>();
  return people
    .filter(({ roles }) => roles.includes(name))
    .map((person) => ({
      user: person.name,
      before: access.of(subjectOf(person)),
      after: bindWith(person, role, time, bound),
    }));
}

/** As the access of a user is bound everywhere else, with one role put in place of another. */
function bindWith(
  { name, roles, traits }: Person,
  role: (name: string) => CompiledRole | undefined,
  now: number,
  bound: Map<string, Access>,
): Access {
  const held = [...new Set(roles)]
    .map(role)
    .filter((each) => each !== undefined && (each.expires === undefined || each.expires > now)) as CompiledRole[];
  const asked = new Set(held.flatMap((each) => [...each.traits]));
  const all = templateTraits(traits);
  const who = held.some(({ asksForUser }) => asksForUser) ? name : null;
  const values = [...asked].sort().map((trait) => (Object.hasOwn(all, trait) ? all[trait] : []));
  const key = JSON.stringify([held.map((each) => each.name).sort(), values, who]);
  const known = bound.get(key);
  if (known) return known;
  const made = bindAccess(held, { username: name, traits: all });
  bound.set(key, made);
  return made;
}

export function subjectOf({ name, roles, traits }: Person): Subject {
  return { username: name, roles, traits };
}
