/** Enters a server with plain OpenSSH, with the host keys it shows at this moment unless they are given. */
import { randomUUID } from 'node:crypto';
import type { OpenSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { newNode } from '@gatehouse/contract/kinds/node/nodes';
import { nodeAdded } from '@gatehouse/contract/kinds/node/server-events';
import type { z } from 'zod';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { refuseLabelGift } from '../../access/label-gifts.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import { putResources, type Resource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { fingerprint, parsePublicKey, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { knownAgentId } from '../../reach/agents/registry/known-agent.ts';
import { isThisMachine } from '../../reach/direct/this-machine.ts';
import type { NodeConnections } from './connect-node.ts';
import { hasTwin, refuseForbidden, refuseTakenName } from './node-rules.ts';
import { nodeWays } from './node-ways.ts';
import { forgetRemoved, refuseReturn } from './removed-nodes.ts';

export interface AddNodeDeps {
  db: Db;
  access: AccessControl;
  /** Everybody there is, with what decides what they reach. */
  people: () => Promise<readonly Subject[]>;
  audit: Audit;
  connections: Pick<NodeConnections, 'scanHostKeys' | 'addressesOf'>;
  clusterName: string;
  now: () => number;
}

type NewNode = z.output<typeof newNode>;

export async function addNode(
  deps: AddNodeDeps,
  { actor, address, wanted }: { actor: Actor; address: string; wanted: NewNode },
): Promise<Resource> {
  const { db, access, audit, clusterName: cluster, now } = deps;
  const { name, labels, addr } = wanted;
  refuseHiddenLabels(labels);
  refuseForbidden(addr);
  const spec: OpenSshNodeSpec = {
    type: 'openssh',
    hostname: name,
    addr,
    hostKeys: [],
    hostAuthorities: wanted.hostAuthorities.map(cleanLine),
    ...(wanted.through === undefined ? {} : { through: await knownAgentId(deps, actor, wanted.through) }),
    ...((await mayBeHere(deps, actor, wanted)) ? { ownMachine: true as const } : {}),
    ...(wanted.sourceAddresses === undefined ? {} : { sourceAddresses: wanted.sourceAddresses }),
  };
  const resource = {
    cluster,
    kind: 'node',
    id: randomUUID(),
    name,
    labels,
    spec,
    owner: '',
    expires: undefined,
  } as const;
  // For who may edit roles it does not matter who gains.
  const people = access.mayEditRoles(actor) ? [] : await deps.people();
  refuseLabelGift(access, actor, { people, before: undefined, after: resource, ways: nodeWays });
  // Before the server is asked: a name that is taken need not wait for that.
  await db.transaction().execute((tx) => refuseTakenName(tx, resource));
  const hostKeys = await keysOf(deps, resource, { actor, wanted });
  await refuseTwin(deps, actor, { cluster, id: resource.id, addr, through: spec.through, hostKeys });
  const entered: Resource = { ...resource, spec: { ...spec, hostKeys } };
  await db.transaction().execute(async (tx) => {
    await refuseTakenName(tx, resource);
    const machine = { ...spec, hostKeys };
    await refuseReturn(tx, { access, actor, people }, entered, machine);
    await forgetRemoved(tx, entered, machine);
    await putResources(tx, [entered], now());
    const fields = {
      user: actor.username,
      name,
      server_id: resource.id,
      server_addr: addr,
      fingerprints: hostKeys.map(fingerprintOf),
    };
    await audit.emit(tx, nodeAdded, fields, { signInId: actor.signInId, address });
  });
  return entered;
}

/** A server on the gateway's own machine is entered by who could reach everything anyway; others cannot even look at its ports. */
export async function mayBeHere(
  { access, connections }: Pick<AddNodeDeps, 'access' | 'connections'>,
  actor: Actor,
  { addr, through }: { addr: string; through?: string | undefined },
): Promise<boolean> {
  return (
    through === undefined && access.mayEditRoles(actor) && (await connections.addressesOf(addr)).some(isThisMachine)
  );
}

export function fingerprintOf(line: string): string {
  return fingerprint(parsePublicKey(line).blob);
}

/** Throws `bad_request` for a line that only looks like a key. */
export function cleanLine(line: string): string {
  return publicKeyLine(parsePublicKey(line).blob);
}

/** Only who may edit roles, and so could reach everything anyway, enters a machine a second time. */
export async function refuseTwin(
  { db, access, connections }: Pick<AddNodeDeps, 'db' | 'access' | 'connections'>,
  actor: Actor,
  machine: Parameters<typeof hasTwin>[1],
): Promise<void> {
  if (access.mayEditRoles(actor) || !(await hasTwin(db, machine, connections.addressesOf))) return;
  throw new AppError(
    'denied',
    'this machine is here already under another name, with the same address or host key: only those who may edit roles can enter it again',
  );
}

async function keysOf(
  { connections }: AddNodeDeps,
  resource: Resource,
  { actor, wanted }: { actor: Actor; wanted: NewNode },
): Promise<string[]> {
  const { hostKeys, hostFingerprint, hostAuthorities } = wanted;
  const isAsked = hostKeys === undefined && (hostFingerprint !== undefined || hostAuthorities.length === 0);
  const who = { user: actor.username, session: resource.id };
  const keys = isAsked ? await connections.scanHostKeys(resource, { who }) : (hostKeys ?? []).map(cleanLine);
  if (hostFingerprint === undefined) return keys;
  const matching = keys.filter((line) => fingerprintOf(line) === hostFingerprint);
  if (matching.length > 0) return matching;
  throw new AppError(
    'conflict',
    `the server at ${wanted.addr} has no host key ${hostFingerprint}: it shows ${keys.map(fingerprintOf).join(', ')}`,
  );
}
