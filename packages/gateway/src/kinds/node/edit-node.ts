/** Changes the name, address and labels of a server that was entered by hand. Labels decide who reaches it, so who gains and loses by them is told before, and nobody gives more than they hold. */

import type { OpenSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { changedNode, nodeChange } from '@gatehouse/contract/kinds/node/nodes';
import { nodeChanged } from '@gatehouse/contract/kinds/node/server-events';
import { isHiddenLabel } from '@gatehouse/contract/std/labels';
import type { z } from 'zod';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import { mayReach } from '../../access/reach.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import { refuseLockedName, requireLiftOf } from '../../inventory/leaving-locks.ts';
import { putResources, type Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { type AddNodeDeps, mayBeHere, refuseTwin } from './add-node.ts';
import { readAgain, requireSameMachine } from './entered-node.ts';
import { refuseForbidden, refuseTakenName } from './node-rules.ts';
import { loginsOf, nodeWays } from './node-ways.ts';
import { refuseReturn } from './removed-nodes.ts';

type Change = z.output<typeof nodeChange>;
type Effects = z.output<typeof changedNode>['effects'];

interface Edit {
  actor: Actor;
  address: string;
  before: Resource;
  spec: OpenSshNodeSpec;
  change: Change;
}

export async function editNode(deps: AddNodeDeps, edit: Edit): Promise<{ resource: Resource; effects: Effects }> {
  const { db, access, audit, now } = deps;
  const { actor, before, spec, change } = edit;
  const { addr = spec.addr, dryRun } = change;
  if (change.labels) refuseHiddenLabels(change.labels);
  refuseForbidden(addr);
  // Before anything is looked up for them.
  requireChangeTo(access, actor, changed(before, spec, change, false));
  const isMoved = addr !== spec.addr;
  const isHere = isMoved && (await mayBeHere(deps, actor, { addr, through: spec.through }));
  if (isMoved) await refuseTwin(deps, actor, { ...before, addr, through: spec.through, hostKeys: spec.hostKeys });
  const people = await deps.people();
  return await db.transaction().execute(async (tx) => {
    const { resource: current, spec: held } = await readAgain(tx, { access, actor, verb: 'update' }, before);
    if (isMoved) requireSameMachine(held, spec, current.name);
    const after = changed(current, held, change, isMoved ? isHere : held.ownMachine === true);
    requireChangeTo(access, actor, after);
    await refuseTakenName(tx, after);
    if (after.name !== current.name) await refuseLockedName(tx, now(), current.name);
    if (isMoved) await requireLiftOf(tx, { access, actor, now: now() }, current);
    refuseLabelGift(access, actor, { people, before: current, after, ways: nodeWays });
    // Whoever reaches it there reaches a machine that nobody has looked at under these labels.
    if (isMoved) {
      refuseLabelGift(access, actor, { people, before: undefined, after, ways: nodeWays });
      await refuseReturn(tx, { access, actor, people }, after, { ...held, addr });
    }
    const effects = effectsOn(access, actor, people, { current, after });
    if (dryRun) return { resource: current, effects };
    await putResources(tx, [after], now());
    const { name, labels } = after;
    const fields = { user: actor.username, name, server_id: after.id, server_addr: change.addr ?? held.addr, labels };
    await audit.emit(tx, nodeChanged, fields, { signInId: actor.signInId, address: edit.address });
    return { resource: after, effects };
  });
}

/** What the change does not name stays. */
function changed(resource: Resource, spec: OpenSshNodeSpec, change: Change, isHere: boolean): Resource {
  const { name = resource.name, addr = spec.addr } = change;
  const hidden = Object.entries(resource.labels).filter(([key]) => isHiddenLabel(key));
  const labels = change.labels ? { ...change.labels, ...Object.fromEntries(hidden) } : resource.labels;
  const { ownMachine: _, ...rest } = spec;
  return {
    ...resource,
    name,
    labels,
    spec: { ...rest, hostname: name, addr, ...(isHere ? { ownMachine: true as const } : {}) },
  };
}

/** Whoever changes its labels or name must be allowed to change what it becomes. */
function requireChangeTo(access: Pick<AccessControl, 'require'>, actor: Actor, { name, labels }: Resource): void {
  access.require(actor, { type: 'verb', resource: 'node', verb: 'update', object: { kind: 'node', name, labels } });
}

const MAX_TOLD = 200;

/** Who gains and who loses a login; of those the actor may not know, a number. */
function effectsOn(
  access: AccessControl,
  actor: Actor,
  people: readonly Subject[],
  { current, after }: { current: Resource; after: Resource },
): Effects {
  const found = people.flatMap((person) => {
    const held = access.of(person);
    const [had, has] = [loginsOf(held, current), loginsOf(held, after)];
    const gained = has.filter((login) => !had.includes(login));
    const lost = had.filter((login) => !has.includes(login));
    return gained.length + lost.length === 0 ? [] : [{ user: person.username, gained, lost }];
  });
  const known = found.filter(({ user }) => mayReach(access, actor, 'list', 'user', user));
  return { items: known.slice(0, MAX_TOLD), hidden: found.length - Math.min(known.length, MAX_TOLD) };
}
