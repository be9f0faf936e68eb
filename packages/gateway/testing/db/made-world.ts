/** A gateway that makes users of a real database on the fly, for tests. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import type { Connection } from 'mysql2/promise';
import { Client } from 'pg';
import { CLUSTER, type DbWorld, type DbWorldOptions, startDbWorldOf, type WorldDatabase } from './db-world.ts';
import type { SecurePostgres } from './secure-postgres.ts';

export const MAKER = 'maker "of" users';
export const MAKER_PASSWORD = "ma'ker";

export interface MadeWorld extends DbWorld {
  /** What the role of ann and others gives from now on. */
  give(
    roles: readonly string[],
    options?: { mode?: string; users?: readonly string[]; deny?: readonly string[] },
  ): Promise<void>;
}

export async function startMadeWorld(
  db: Omit<WorldDatabase, 'dbUsers' | 'password'>,
  options: DbWorldOptions & { adminDatabase?: string } = {},
): Promise<MadeWorld> {
  const { adminDatabase = '', ...others } = options;
  const world = await startDbWorldOf({ ...db, dbUsers: [MAKER], password: MAKER_PASSWORD }, others);
  const params = { ...CLUSTER, name: 'shop' };
  const adminUser = { name: MAKER, database: adminDatabase };
  await call(world.admin.send, databaseRoutes.update, { params, body: { adminUser } });
  return {
    ...world,
    async give(roles, { mode = 'keep', users = ['ann'], deny = [] } = {}) {
      const names = JSON.stringify({ db_users: users, db_names: db.dbNames, db_roles: roles }).slice(1, -1);
      const allow = `{db_labels: {env: dev}, ${names}, rules: [{resources: [db_server], verbs: [list, read]}]}`;
      const spec = `{allow: ${allow}, deny: {db_roles: ${JSON.stringify(deny)}}, options: {create_db_user_mode: ${mode}}}`;
      const content = `kind: role\nversion: v6\nmetadata: {name: dev}\nspec: ${spec}\n`;
      await call(world.admin.send, roleRoutes.update, { params: { name: 'dev' }, body: { content } });
      await world.gateway.settled();
    },
  };
}

/** As its owner, at the server itself. */
export async function asOwner<Row extends object>(url: string, ...statements: readonly string[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const sql of statements) rows = (await client.query<Row>(sql)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** With who makes users, two roles to be given, and everybody let in by password. */
export async function prepareMaking(postgres: Pick<SecurePostgres, 'url'>): Promise<void> {
  const rule = "copy (select 'host all all 127.0.0.1/32 scram-sha-256') to program 'cat >> pg_hba.conf'";
  const maker = `"${MAKER.replaceAll('"', '""')}"`;
  await asOwner(
    postgres.url,
    rule,
    'select pg_reload_conf()',
    "set password_encryption = 'scram-sha-256'",
    `create role ${maker} login createrole password '${MAKER_PASSWORD.replaceAll("'", "''")}'`,
    'create role reader; create role writer; create role "odd "" role"',
    `grant reader, writer, "odd "" role" to ${maker} with admin option`,
    'create table goods (id int); grant select on goods to reader; grant insert on goods to writer',
    'grant usage, create on schema public to public',
  );
}

export interface MadeState {
  login: boolean;
  roles: string[];
  /** A password would be taken. */
  open: boolean;
}

/** Undefined: there is no such user. */
export async function stateOf(postgres: Pick<SecurePostgres, 'url'>, user: string): Promise<MadeState | undefined> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ login: boolean; roles: string[] | null; open: boolean }>(
    `select a.rolcanlogin as login, coalesce(a.rolvaliduntil > now(), true) as open,
      (select array_agg(g.rolname::text order by g.rolname) from pg_auth_members m join pg_roles g on g.oid = m.roleid
        where m.member = a.oid and g.rolname <> 'gatehouse-auto-user') as roles
      from pg_authid a where rolname = $1`,
    [user],
  );
  await client.end();
  return rows[0] && { ...rows[0], roles: rows[0].roles ?? [] };
}

/** Looks again and again, as a connection of MySQL hears of its end when it is used. */
export async function soonOver(client: Connection): Promise<void> {
  while (
    await client.ping().then(
      () => true,
      () => false,
    )
  )
    await new Promise((resolve) => setTimeout(resolve, 50));
}
