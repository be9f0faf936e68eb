/** Tries an application the way a session would, step by step: access, the way, TCP, TLS, what it answers. */
import { appSpec, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { findSeenByName } from '../../inventory/find-seen.ts';
import { routesTo } from '../../inventory/resource-routes.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Reach } from '../../reach/reach.ts';
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
  const { actor, wanted, proveFactor } = test;
  const resource = await steps.take({
    step: 'access',
    type: 'UNKNOWN_ERROR',
    next: actor.isOwner
      ? 'look at the name: gatehouse apps ls'
      : `look at the name; if it is right, an administrator sees why with: gatehouse access explain ${actor.username} ${wanted}`,
    run: () => findSeenByName(deps, 'app', actor, wanted),
    tell: ({ name }) => `you see the application '${name}'`,
  });
  test.onFound(resource);
  await steps.take({
    step: 'access',
    type: 'UNKNOWN_ERROR',
    run: () => requireOpen(deps, test, resource),
    tell: () => 'your roles let you open it',
  });
  if (!actor.isOwner && sessionOptions(deps.access.of(actor)).requireMfa)
    await steps.take({
      step: 'access',
      type: 'UNKNOWN_ERROR',
      next: 'answer with one of your devices: a code of your authenticator app, or a key',
      run() {
        if (proveFactor) return proveFactor();
        throw new AppError(
          'mfa_required',
          'a role of yours asks for a second factor at every connection, and none was given',
        );
      },
      tell: () => 'you proved your second factor',
    });
  return resource;
}

/** Asked of the very record that is dialled afterwards. */
function requireOpen({ access }: TestAppDeps, { actor }: ConnectionTest, resource: Resource): void {
  const action = { type: 'connect', kind: 'app', resource } as const;
  if (access.decide(actor, action).allowed) return;
  const refuse = (message: string, next: string) => new AppError('denied', message, { fields: { next } });
  if (actor.isNarrowed)
    throw refuse('this token may not connect anywhere', "use your own sign-in, or a token with the scope 'all'");
  const lock = access.lockFor(actor, action);
  if (lock)
    throw refuse(
      // Its reason is for administrators, as the dialog says that asks for it.
      `the ${lock.target.kind} '${lock.target.name}' is locked`,
      'wait until the lock has run out, or ask who set it',
    );
  throw refuse(
    `none of your roles lets you open '${resource.name}'`,
    `an administrator sees why with: gatehouse access explain ${actor.username} ${resource.name}`,
  );
}
