/** Servers that were removed, by what a machine is known again: entered anew, it is the same machine under other labels. */
import { randomUUID } from 'node:crypto';
import type { OpenSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { z } from 'zod';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { parsePublicKey } from '../../platform/crypto/ssh/public-key.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { nodeWays } from './node-ways.ts';

const storedLabels = z.record(z.string(), z.string());

type Machine = Pick<OpenSshNodeSpec, 'addr' | 'through' | 'hostKeys'>;

export async function rememberRemoved(
  tx: Tx,
  { cluster, id, labels }: Resource,
  { addr, through = '', hostKeys }: Machine,
  removed: number,
): Promise<void> {
  const row = { cluster, id, addr, through, host_keys: hostKeys.join('\n'), labels: writeJson(labels), removed };
  await tx.insertInto('removed_node').values(row).execute();
}

/** Keys it is not known by any more, to be entered by nobody under other labels: its address is still its own. */
export async function rememberUnpinned(
  tx: Tx,
  resource: Resource,
  { before, after }: { before: readonly string[]; after: readonly string[] },
  changed: number,
): Promise<void> {
  const hostKeys = before.filter((line) => !after.includes(line));
  if (hostKeys.length > 0)
    await rememberRemoved(tx, { ...resource, id: randomUUID() }, { addr: '', hostKeys }, changed);
}

/** Throws when whoever enters it again gives more than by changing the labels it had. */
export async function refuseReturn(
  tx: Tx,
  { access, actor, people }: { access: AccessControl; actor: Actor; people: readonly Subject[] },
  after: Resource,
  machine: Machine,
): Promise<void> {
  if (access.mayEditRoles(actor)) return;
  for (const row of await removedAs(tx, after.cluster, machine).selectAll().execute()) {
    const before = { ...after, id: row.id, labels: storedLabels.parse(readJson(row.labels)) };
    refuseLabelGift(access, actor, { people, before, after, ways: nodeWays });
  }
}

/** It is here again, and its labels say what it is. */
export async function forgetRemoved(tx: Tx, { cluster }: Resource, machine: Machine): Promise<void> {
  const rows = await removedAs(tx, cluster, machine).select('id').execute();
  for (const { id } of rows)
    await tx.deleteFrom('removed_node').where('cluster', '=', cluster).where('id', '=', id).execute();
}

function removedAs(tx: Tx, cluster: string, { addr, through = '', hostKeys }: Machine) {
  const blobs = hostKeys.map((line) => parsePublicKey(line).blob.toString('base64'));
  return tx
    .selectFrom('removed_node')
    .where('cluster', '=', cluster)
    .where((builder) =>
      builder.or([
        builder.and([builder('addr', '=', addr), builder('through', '=', through)]),
        ...blobs.map((blob) => builder('host_keys', 'like', `%${blob}%`)),
      ]),
    );
}
