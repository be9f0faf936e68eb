/** Tries to sign in to a database the way a session would, step by step: access, the way, TCP, TLS, login, database. */
import { dbRoute } from '@gatehouse/contract/kinds/db/databases';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import { shellQuote } from '../../reach/agents/install/shell-quote.ts';
import type { Reach } from '../../reach/reach.ts';
import { mayNot, requireUnlocked, takeFactor, takeFind } from '../../sessions/connection-tests/access-steps.ts';
import type { ConnectionTest } from '../../sessions/connection-tests/connection-test.ts';
import type { Steps } from '../../sessions/connection-tests/take-steps.ts';
import { narrowed } from './db-list.ts';
import { type Chosen, connectTo } from './db-rights.ts';
import type { DbStates } from './db-states.ts';
import { type DbProofs, dbTerms } from './dial-db.ts';
import type { ListedDb } from './listed-db.ts';
import { adminOf, refuseUnmade } from './made/admin-connection.ts';
import { madeUser } from './made-user.ts';
import { failedAs, STEP_TYPES } from './refused-as.ts';
import { tryDb } from './try-db.ts';
import { choose, findSeenDb, type WantedDbDeps } from './wanted-db.ts';

const STEPS = ['reach', 'tcp', 'tls', 'protocol', 'login', 'database', 'rights'] as const;
/** Of a hop that was not taken. */
const NOT_TAKEN: Partial<Record<(typeof STEPS)[number], string>> = {
  tls: 'nothing is encrypted, as its record has it',
  protocol: 'not asked: there is nothing to sign in with',
};

export interface TestDbDeps extends WantedDbDeps, DbProofs {
  access: Pick<AccessControl, 'of' | 'decide' | 'lockFor'>;
  reach: Pick<Reach, 'way'>;
  states: Pick<DbStates, 'learning' | 'signedIn'>;
}

export async function testDb(deps: TestDbDeps, steps: Steps, test: ConnectionTest): Promise<void> {
  const { actor, session, timeoutMs, signal } = test;
  const { listed, chosen } = await passAccess(deps, steps, test);
  const { name } = listed.resource;
  const making = madeUser(deps.access.of(actor), connectTo(listed, chosen));
  // Nobody is made for a test.
  const as = making ? adminOf(listed) : chosen;
  const tried = tryDb(deps.reach, {
    ...as,
    ...(making ? { makes: { user: chosen.dbUser, roles: making.roles } } : {}),
    ...{ proofs: deps, states: deps.states, db: listed, who: { user: actor.username, session }, timeoutMs, signal },
    setPassword: `gatehouse db set-password ${name} ${typed(as.dbUser)}`,
    terms() {
      // Dialling takes a while: what was allowed before may be locked by now.
      requireConnect(deps, test, listed, chosen);
      return dbTerms(deps, listed, as);
    },
  });
  const take = async (step: (typeof STEPS)[number]) => {
    await steps.take({
      step,
      type: STEP_TYPES[step],
      failedAs: (error) => failedAs(error, STEP_TYPES[step]),
      run: () => tried[step](),
      tell: (hop) => hop?.message ?? NOT_TAKEN[step] ?? '',
    });
  };
  try {
    for (const step of STEPS) await take(step);
  } finally {
    tried.close();
  }
}

async function passAccess(
  deps: TestDbDeps,
  steps: Steps,
  test: ConnectionTest,
): Promise<{ listed: ListedDb; chosen: Chosen }> {
  const { actor, wanted } = test;
  const listed = await takeFind(steps, test, {
    type: 'RBAC_DATABASE',
    listedBy: 'gatehouse db ls',
    find: () => findSeenDb(deps, actor, wanted),
    tell: ({ resource }) => `you see the database '${resource.name}'`,
  });
  test.onFound(listed.resource);
  const chosen = await steps.take({
    step: 'access',
    type: 'RBAC_DATABASE_LOGIN',
    run() {
      const wish = choose(listed, parseInput(dbRoute, test.names, 'names'));
      requireConnect(deps, test, listed, wish);
      if (madeUser(deps.access.of(actor), connectTo(listed, wish))) refuseUnmade(listed, wish.dbUser);
      return wish;
    },
    tell: ({ dbUser, dbName }) => `your roles let you use '${dbName}' as '${dbUser}'`,
  });
  await takeFactor(steps, test, deps.access, 'RBAC_DATABASE_LOGIN');
  return { listed, chosen };
}

/** Asked of the very record that is dialled afterwards. */
function requireConnect({ access }: TestDbDeps, test: ConnectionTest, listed: ListedDb, chosen: Chosen): void {
  const { actor } = test;
  const { resource, spec } = listed;
  const { dbUser, dbName } = chosen;
  const action = connectTo(listed, chosen);
  if (access.decide(actor, action).allowed) return;
  requireUnlocked(access, test, action);
  const held = access.of(actor);
  const may = (field: 'db_users' | 'db_names', only: readonly string[]) =>
    narrowed(principalsFor(held, 'db', resource.labels, field), only).join(', ') || 'none';
  throw mayNot(
    `none of your roles lets you use '${dbName}' of '${resource.name}' as '${dbUser}'`,
    `they give the users ${may('db_users', spec.users)} and the databases ${may('db_names', spec.names)}; an administrator sees why with: gatehouse access explain ${actor.username} ${resource.name} --db-user ${typed(dbUser)} --db-name ${typed(dbName)}`,
  );
}

/** As it can be pasted into a shell: the server's people chose the name. */
function typed(name: string): string {
  return /^[\w.@-]+$/.test(name) ? name : shellQuote(name);
}
