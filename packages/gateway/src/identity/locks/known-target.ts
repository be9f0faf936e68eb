/** Whether what somebody wants to lock is there, as far as they may know: a lock on a name nobody has is false safety. */
import type { LockTarget } from '@gatehouse/contract/access/locks/locks';
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { type Kind, rowOfLockTarget, rows } from '@gatehouse/contract/kinds/kinds';
import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import type { AccessControl } from '../../access/create-access.ts';
import type { Lock } from '../../access/lock-store.ts';
import { foldText } from '../../access/match/pattern.ts';
import { mayReach } from '../../access/reach.ts';
import { mayListRole } from '../../access/role-reach.ts';
import { listRoles } from '../../access/role-store.ts';
import { templateTraits } from '../../access/user-traits.ts';
import { type Visibility, visibleCondition } from '../../access/visibility.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { listPeople } from '../stores/people.ts';
import { listUsers } from '../stores/user-store.ts';

/** Every agent there is: given by who knows them. */
export type KnownAgents = () => Promise<readonly { id: string; name: string }[]>;

interface Looking {
  db: Db;
  access: AccessControl;
  actor: Actor;
  clusterName: string;
  agents: KnownAgents;
}

/** So many names are compared with one that is not there. */
const MAX_COMPARED = 5_000;

/** Throws, with the name that was probably meant, unless there is such a thing that the actor may know of. */
export async function requireKnown(looking: Looking, { kind, name }: Lock['target']): Promise<void> {
  const { isThere, names } = await lookFor(looking, kind, name);
  if (isThere) return;
  const meant = didYouMean(name, names.slice(0, MAX_COMPARED));
  const what =
    kind === 'login'
      ? `no role and no account gives the login '${name}'`
      : `there is no ${rowOfLockTarget(kind)?.noun ?? kind} '${name}'`;
  throw new AppError('conflict', meant === undefined ? what : `${what}; did you mean '${meant}'?`, {
    fields: { unknownTarget: { kind, name, ...(meant === undefined ? {} : { meant }) } },
  });
}

/** After the lock holds the names: a resource that was renamed since it was looked for would not be in it. */
export async function requireStillCalled(tx: Tx, cluster: string, { kind, name }: Lock['target']): Promise<void> {
  const row = rowOfLockTarget(kind);
  if (!row) return;
  const found = await tx
    .selectFrom('resource')
    .select('id')
    .where('cluster', '=', cluster)
    .where('kind', '=', row.kind)
    .where((builder) => builder.or([builder('id', '=', name), builder('name', '=', name)]))
    .executeTakeFirst();
  if (!found)
    throw new AppError('conflict', `the ${row.noun} '${name}' was renamed or removed meanwhile: look at it again`);
}

interface Found {
  isThere: boolean;
  /** Those that could have been meant. */
  names: string[];
}

async function lookFor(looking: Looking, kind: LockTarget, name: string): Promise<Found> {
  const { db, access, actor } = looking;
  const among = (names: string[]): Found => ({ isThere: names.includes(name), names });
  switch (kind) {
    case 'user': {
      const users = await listPeople(db);
      return among(users.map((user) => user.name).filter((each) => mayReach(access, actor, 'list', 'user', each)));
    }
    case 'role':
      return among(await knownRoles(looking));
    case 'login': {
      const names = await logins(looking);
      return { isThere: names.some((each) => foldText(each) === foldText(name)), names };
    }
    case 'agent': {
      const known = (await looking.agents()).filter((agent) => mayReach(access, actor, 'list', 'token', agent.name));
      return among(known.flatMap((agent) => [agent.id, agent.name]));
    }
    default: {
      const of = rowOfLockTarget(kind)!.kind;
      return await lookInInventory(looking, of, name, await access.visibleTo(actor, of));
    }
  }
}

/** Those they hold, and those they may list. */
async function knownRoles({ db, access, actor }: Looking): Promise<string[]> {
  const roles = await listRoles(db);
  return roles
    .filter((role) => actor.roles.includes(role.name) || mayListRole(access, actor, role))
    .map(({ name }) => name);
}

/** What a lock on a login meets; names of databases, groups and roles of clouds are none. */
const LOGINS = rows.flatMap(({ principals }) => principals.filter(({ login }) => login));
const LOGIN_FIELDS = LOGINS.map(({ field }) => field as PrincipalField);
const LOGIN_TRAITS = LOGINS.map(({ trait, field }) => trait ?? field);

/** What the roles name that they may know of, and what the accounts bring along. */
async function logins(looking: Looking): Promise<string[]> {
  const { db, access, actor } = looking;
  const sources = (await knownRoles(looking))
    .flatMap((each) => LOGIN_FIELDS.flatMap((field) => access.role(each)?.allow.principals.get(field) ?? []))
    .map(({ source }) => source);
  const named = sources.flatMap((source) => ('pattern' in source ? [source.pattern.text] : []));
  const templates = sources.flatMap((source) => ('template' in source ? [source.template] : []));
  const users = (await listUsers(db)).filter(
    ({ name }) => name === actor.username || mayReach(access, actor, 'list', 'user', name),
  );
  const brought = users.flatMap(({ traits: kept }) => {
    const traits = templateTraits(kept);
    return [...LOGIN_TRAITS.flatMap((each) => traits[each] ?? []), ...templates.flatMap((each) => each.expand(traits))];
  });
  return [...new Set([...named, ...brought])];
}

async function lookInInventory(
  { db, clusterName }: Looking,
  kind: Kind,
  wanted: string,
  seen: Visibility,
): Promise<Found> {
  if (seen.type === 'none') return { isThere: false, names: [] };
  const visible = () =>
    db
      .selectFrom('resource')
      .select(['id', 'name'])
      .where('cluster', '=', clusterName)
      .where('kind', '=', kind)
      .where(visibleCondition(db, seen));
  const found = await visible()
    .where((builder) => builder.or([builder('id', '=', wanted), builder('name', '=', wanted)]))
    .limit(1)
    .execute();
  if (found.length > 0) return { isThere: true, names: [] };
  const all = await visible().orderBy('name').limit(MAX_COMPARED).execute();
  return { isThere: false, names: all.map(({ name }) => name) };
}
