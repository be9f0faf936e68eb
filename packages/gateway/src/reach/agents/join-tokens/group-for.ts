/** Which group a new token is of: going on with names that somebody holds is for those who may change what has them. */
import { rows } from '@gatehouse/contract/kinds/kinds';
import type { TokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';
import type { AccessControl } from '../../../access/create-access.ts';
import { heldBy, holdersOf } from '../../../inventory/held-names.ts';
import { isShared } from '../../../inventory/kind-fields.ts';
import { findResource, holdNames } from '../../../inventory/resource-store.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { mayOffer, patternsIn } from './may-offer.ts';

interface GroupDeps {
  access: Pick<AccessControl, 'require'>;
  clusterName: string;
}

/** Undefined: a group of its own. */
export async function groupFor(
  tx: Tx,
  { access, clusterName: cluster }: GroupDeps,
  actor: Actor,
  { group, offers }: { group: string | undefined; offers: TokenOffers },
): Promise<string | undefined> {
  await holdNames(tx);
  const shared = rows.filter(({ kind }) => isShared(kind));
  const named = await Promise.all(
    shared.map(async (row) => {
      const names = (patternsIn(offers, row.path) ?? []).filter((name) => !name.includes('*'));
      return { ...row, holders: await holdersOf(tx, { cluster, kind: row.kind }, names) };
    }),
  );
  const held = named.flatMap(({ path, command: called = path, holders }) =>
    [...holders].map(([name, holder]) => ({ called, name, holder })),
  );
  const [holder, second] = new Set(group === undefined ? held.map((each) => each.holder) : [group]);
  const foreign = held.find((each) => each.holder !== holder);
  if (second !== undefined || foreign) {
    const names = held.map(({ name }) => name).join(', ');
    throw new AppError(
      'conflict',
      `the names ${names} do not belong to the same agents: make a token for each, or free one first with: gatehouse ${(foreign ?? held[0])?.called} free`,
    );
  }
  if (holder === undefined) return undefined;
  for (const { kind, path, rules, holders } of named) {
    const theirs = (await heldBy(tx, { cluster, kind }, holder))
      .map(({ resource }) => resource)
      .filter((name) => mayOffer(offers, path, name));
    for (const name of new Set([...holders.keys(), ...theirs])) {
      const resource = await findResource(tx, { cluster, kind, id: name });
      const object = { kind, name, labels: resource?.labels ?? {} };
      access.require(actor, { type: 'verb', resource: rules[0], verb: 'update', object });
    }
  }
  return holder;
}
