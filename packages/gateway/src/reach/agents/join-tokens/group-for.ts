/** Which group a new token is of: going on with names that somebody holds is for those who may change these applications. */

import type { AccessControl } from '../../../access/create-access.ts';
import { heldBy, holdersOf } from '../../../inventory/held-names.ts';
import { findResource, holdNames } from '../../../inventory/resource-store.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { mayOffer } from './may-offer.ts';

interface GroupDeps {
  access: Pick<AccessControl, 'require'>;
  clusterName: string;
}

/** Undefined: a group of its own. */
export async function groupFor(
  tx: Tx,
  { access, clusterName: cluster }: GroupDeps,
  actor: Actor,
  { group, apps }: { group: string | undefined; apps: readonly string[] },
): Promise<string | undefined> {
  await holdNames(tx);
  const named = apps.filter((app) => !app.includes('*'));
  const holders = await holdersOf(tx, cluster, named);
  const found = new Set(group === undefined ? holders.values() : [group]);
  const [holder, second] = found;
  const foreign = [...holders].find(([, each]) => each !== holder);
  if (second !== undefined || foreign)
    throw new AppError(
      'conflict',
      `the names ${[...holders.keys()].join(', ')} do not belong to the same agents: make a token for each, or free one first with: gatehouse apps free`,
    );
  if (holder === undefined) return undefined;
  const held = (await heldBy(tx, cluster, holder))
    .map(({ app }) => app)
    .filter((app) => mayOffer({ apps: [...apps] }, 'apps', app));
  for (const name of new Set([...holders.keys(), ...held])) {
    const resource = await findResource(tx, { cluster, kind: 'app', id: name });
    const object = { kind: 'app', name, labels: resource?.labels ?? {} };
    access.require(actor, { type: 'verb', resource: 'app_server', verb: 'update', object });
  }
  return holder;
}
