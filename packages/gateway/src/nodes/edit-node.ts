/** Changes the name, address and labels of a server that was entered by hand. Labels decide who reaches it, so who gains and loses by them is told before, and nobody gives more than they hold. */
import { nodeChanged } from '@gatehouse/contract/audit/server-events';
import { isHiddenLabel } from '@gatehouse/contract/labels';
import type { OpenSshNodeSpec } from '@gatehouse/contract/nodes/node-spec';
import type { changedNode, nodeChange } from '@gatehouse/contract/nodes/nodes';
import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { AccessControl, Subject } from '../access/create-access.ts';
import { decide } from '../access/decide.ts';
import { principalsFor } from '../access/principals-for.ts';
import { mayReach } from '../access/reach.ts';
import { refuseHiddenLabels } from '../inventory/hidden-labels.ts';
import { findResource, putResources, type Resource } from '../inventory/resource-store.ts';
import { AppError, notFound } from '../std/app-error.ts';
import { type AddNodeDeps, mayBeHere, refuseTwin } from './add-node.ts';
import { refuseForbidden, refuseTakenName } from './node-rules.ts';

export interface EditNodeDeps extends AddNodeDeps {
  access: AccessControl;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
}

type Effects = z.output<typeof changedNode>['effects'];

interface Edit {
  actor: Actor;
  address: string;
  before: Resource;
  spec: OpenSshNodeSpec;
  change: z.output<typeof nodeChange>;
}

export async function editNode(deps: EditNodeDeps, edit: Edit): Promise<{ resource: Resource; effects: Effects }> {
  const { db, access, audit, now } = deps;
  const { actor, before, spec, change } = edit;
  const { name = before.name, addr = spec.addr, dryRun } = change;
  const hidden = Object.entries(before.labels).filter(([key]) => isHiddenLabel(key));
  const labels = change.labels ? { ...change.labels, ...Object.fromEntries(hidden) } : before.labels;
  if (change.labels) refuseHiddenLabels(change.labels);
  // Whoever changes its labels or name must be allowed to change what it becomes.
  access.require(actor, { type: 'verb', resource: 'node', verb: 'update', object: { kind: 'node', name, labels } });
  refuseForbidden(addr);
  const isMoved = addr !== spec.addr;
  const { ownMachine: _, ...rest } = spec;
  const isHere = isMoved ? await mayBeHere(deps, actor, { addr, through: spec.through }) : spec.ownMachine === true;
  const after: Resource = {
    ...before,
    name,
    labels,
    spec: { ...rest, hostname: name, addr, ...(isHere ? { ownMachine: true as const } : {}) },
  };
  const people = await deps.people();
  const found = people.flatMap((person) => effectOn(access, person, before, after) ?? []);
  refuseGift(access, actor, found, before);
  const isKnown = (user: string) => mayReach(access, actor, 'list', 'user', user);
  const known = found.filter(({ user }) => isKnown(user));
  const effects = { items: known.slice(0, MOST_TOLD), hidden: found.length - Math.min(known.length, MOST_TOLD) };
  if (isMoved) {
    await refuseTwin(deps, actor, { ...before, addr, through: spec.through, hostKeys: spec.hostKeys });
  }
  await db.transaction().execute(async (tx) => {
    await refuseTakenName(tx, after);
    const current = await findResource(tx, before);
    if (current?.owner !== '') throw notFound('server', before.name);
    if (dryRun) return;
    await putResources(tx, [after], now());
    const fields = { user: actor.username, name, server_id: before.id, server_addr: addr, labels };
    await audit.emit(tx, nodeChanged, fields, { signInId: actor.signInId, address: edit.address });
  });
  return { resource: dryRun ? before : after, effects };
}

const MOST_TOLD = 200;

interface FoundEffect {
  user: string;
  gained: string[];
  lost: string[];
}

/** Logins somebody may use there; none where they do not even see it. */
function loginsOf(access: AccessControl, person: Subject, resource: Resource): string[] {
  const held = access.of(person);
  if (!decide(held, { type: 'see', kind: 'node', resource }).allowed) return [];
  return principalsFor(held, 'node', resource.labels, 'logins');
}

function effectOn(access: AccessControl, person: Subject, before: Resource, after: Resource): FoundEffect | undefined {
  const [had, has] = [loginsOf(access, person, before), loginsOf(access, person, after)];
  const gained = has.filter((login) => !had.includes(login));
  const lost = had.filter((login) => !has.includes(login));
  return gained.length + lost.length === 0 ? undefined : { user: person.username, gained, lost };
}

/** Labels give access as roles do: to oneself or to others no more than one has there already. */
function refuseGift(access: AccessControl, actor: Actor, found: readonly FoundEffect[], before: Resource): void {
  if (access.mayEditRoles(actor)) return;
  const own = loginsOf(access, actor, before);
  const gift = found.flatMap(({ gained }) => gained).find((login) => !own.includes('*') && !own.includes(login));
  if (gift === undefined) return;
  throw new AppError(
    'denied',
    `you cannot change '${before.name}' in this way: somebody could then sign in there as '${gift}', which you cannot; ask somebody who may edit roles`,
  );
}
