/** Tries an application the way a session would, step by step: access, the way, TCP, TLS, what it answers. */
import { appSpec, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import type { AccessControl } from '../../access/create-access.ts';
import { findSeenByName } from '../../inventory/find-seen.ts';
import { routesTo } from '../../inventory/resource-routes.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Reach } from '../../reach/reach.ts';
import { mayNot, requireUnlocked, takeFactor, takeFind } from '../../sessions/connection-tests/access-steps.ts';
import type { ConnectionTest } from '../../sessions/connection-tests/connection-test.ts';
import type { Steps } from '../../sessions/connection-tests/take-steps.ts';
import { tryApp } from './try-app.ts';

export interface TestAppDeps {
  db: Db;
  access: Pick<AccessControl, 'of' | 'decide' | 'lockFor'>;
  clusterName: string;
  reach: Pick<Reach, 'way'>;
}

export async function testApp(deps: TestAppDeps, steps: Steps, test: ConnectionTest): Promise<void> {
  const { actor, session, timeoutMs, signal } = test;
  const resource = await passAccess(deps, steps, test);
  const spec = appSpec.parse(resource.spec);
  const isOffered = resource.owner !== '';
  const ways = isOffered ? ((await routesTo(deps.db, [resource])).get(resource.id) ?? []) : spec.through;
  const app = {
    ...{ name: resource.name, address: parseAppUri(spec.uri)!, spec, ways, redirect: spec.rewrite.redirect },
    dialledBy: isOffered || ways.length > 0 ? ('agents' as const) : ('gateway' as const),
  };
  await tryApp(steps, deps.reach, app, { who: { user: actor.username, session }, timeoutMs, signal });
}

async function passAccess(deps: TestAppDeps, steps: Steps, test: ConnectionTest): Promise<Resource> {
  const { actor, wanted } = test;
  const resource = await takeFind(steps, test, {
    type: 'UNKNOWN_ERROR',
    listedBy: 'gatehouse apps ls',
    find: () => findSeenByName(deps, 'app', actor, wanted),
    tell: ({ name }) => `you see the application '${name}'`,
  });
  test.onFound(resource);
  await steps.take({
    step: 'access',
    type: 'UNKNOWN_ERROR',
    run: () => requireOpen(deps, test, resource),
    tell: () => 'your roles let you open it',
  });
  await takeFactor(steps, test, deps.access, 'UNKNOWN_ERROR');
  return resource;
}

/** Asked of the very record that is dialled afterwards. */
function requireOpen({ access }: TestAppDeps, test: ConnectionTest, resource: Resource): void {
  const { actor } = test;
  const action = { type: 'connect', kind: 'app', resource } as const;
  if (access.decide(actor, action).allowed) return;
  requireUnlocked(access, test, action);
  throw mayNot(
    `none of your roles lets you open '${resource.name}'`,
    `an administrator sees why with: gatehouse access explain ${actor.username} ${resource.name}`,
  );
}
