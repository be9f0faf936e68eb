/** What somebody can do with a database: connect, as which users, and to which databases in it. */
import type { Access } from '../../access/bind-access.ts';
import { decide } from '../../access/decide.ts';
import type { WayIn } from '../../access/label-gifts.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Resource } from '../../inventory/resource-store.ts';

/** Stands for any name in what roles give; a name that nobody has stands for all of them here. */
const ANY = '*';

export function dbWays(held: Access, resource: Resource): WayIn[] {
  const users = principalsFor(held, 'db', resource.labels, 'db_users');
  const names = principalsFor(held, 'db', resource.labels, 'db_names');
  const roles = principalsFor(held, 'db', resource.labels, 'db_roles');
  return users.flatMap((dbUser) =>
    names.flatMap((dbName) => {
      const action = { type: 'connect', kind: 'db', resource, dbUser, dbName } as const;
      if (!decide(held, action).allowed) return [];
      const [user, name] = [shown(dbUser, 'any user'), shown(dbName, 'any database')];
      const way = `connect as ${user} to ${name}`;
      // Of users that are made there, each role is more.
      const withRoles = roles.flatMap((dbRole) => {
        const wider = { ...action, dbRole };
        return decide(held, wider).allowed ? [{ name: `${way} with the role '${dbRole}'`, action: wider }] : [];
      });
      return [{ name: way, action }, ...withRoles];
    }),
  );
}

function shown(name: string, any: string): string {
  return name === ANY ? any : `'${name}'`;
}
