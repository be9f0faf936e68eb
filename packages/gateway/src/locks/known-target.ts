/** Whether what somebody wants to lock is there, as far as they may know: a lock on a name nobody has is false safety. */
import type { LockTarget } from '@gatehouse/contract/locks/locks';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import type { Lock } from '../access/lock-store.ts';
import { foldText } from '../access/match/pattern.ts';
import { mayReach } from '../access/reach.ts';
import { type Visibility, visibleCondition } from '../access/visibility.ts';
import { listAgents } from '../agents/agent-store.ts';
import { AppError } from '../std/app-error.ts';
import { nearest } from '../std/nearest.ts';
import type { Db } from '../storage/tables.ts';
import { listUsers } from '../users/user-store.ts';

interface Looking {
  db: Db;
  access: AccessControl;
  actor: Actor;
  clusterName: string;
}

const CALLED: Record<LockTarget, string> = {
  user: 'user',
  role: 'role',
  login: 'login',
  node: 'server',
  windows_desktop: 'desktop',
  agent: 'agent',
};

/** So many names are compared with one that is not there. */
const MOST_COMPARED = 5_000;

/** Throws, with the name that was probably meant, unless there is such a thing that the actor may know of. */
export async function requireKnown(looking: Looking, { kind, name }: Lock['target']): Promise<void> {
  const { isThere, names } = await lookFor(looking, kind, name);
  if (isThere) return;
  const meant = nearest(name, names.slice(0, MOST_COMPARED));
  const what =
    kind === 'login' ? `no role and no account gives the login '${name}'` : `there is no ${CALLED[kind]} '${name}'`;
  throw new AppError('conflict', meant === undefined ? what : `${what}; did you mean '${meant}'?`, {
    fields: { unknownTarget: { kind, name, ...(meant === undefined ? {} : { meant }) } },
  });
}

interface Found {
  isThere: boolean;
  /** Those that could have been meant. */
  names: string[];
}

async function lookFor(looking: Looking, kind: LockTarget, name: string): Promise<Found> {
  const { db, access, actor, clusterName } = looking;
  const among = (names: string[]): Found => ({ isThere: names.includes(name), names });
  switch (kind) {
    case 'user': {
      const users = await listUsers(db);
      return among(users.map((user) => user.name).filter((each) => mayReach(access, actor, 'list', 'user', each)));
    }
    case 'role':
      return among(access.roleNames().filter((each) => actor.acl.roles.list || actor.roles.includes(each)));
    case 'login': {
      const names = await logins(looking);
      return { isThere: names.some((each) => foldText(each) === foldText(name)), names };
    }
    case 'node':
      return await lookInInventory(looking, 'node', name, await access.visibleTo(actor, 'node'));
    case 'windows_desktop':
      return await lookInInventory(looking, 'desktop', name, await access.visibleTo(actor, 'desktop'));
    case 'agent': {
      if (!actor.acl.nodes.list) return { isThere: false, names: [] };
      return among((await listAgents(db, clusterName)).flatMap((agent) => [agent.id, agent.name]));
    }
    default:
      return kind satisfies never;
  }
}

/** What roles name, and what the accounts bring along. */
async function logins({ db, access, actor }: Looking): Promise<string[]> {
  const named = access
    .roleNames()
    .flatMap((each) => [...(access.role(each)?.allow.principals.values() ?? [])].flat())
    .flatMap(({ source }) => ('pattern' in source ? [source.pattern.text] : []));
  const users = actor.acl.users.list ? await listUsers(db) : [];
  return [...new Set([...named, ...users.flatMap(({ traits }) => Object.values(traits).flat())])];
}

async function lookInInventory(
  { db, clusterName }: Looking,
  kind: 'node' | 'desktop',
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
  const all = await visible().orderBy('name').limit(MOST_COMPARED).execute();
  return { isThere: false, names: all.map(({ name }) => name) };
}
