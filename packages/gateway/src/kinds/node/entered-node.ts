/** A server that was entered by hand, as it is while it is changed: somebody may have changed or removed it since it was found. */
import { type OpenSshNodeSpec, openSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { AccessControl } from '../../access/create-access.ts';
import { findResource, holdNames, type Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';

export function requireEntered({ name, spec, owner }: Resource): OpenSshNodeSpec {
  const entered = openSshNodeSpec.safeParse(spec);
  if (entered.success && owner === '') return entered.data;
  throw new AppError(
    'bad_request',
    `the server '${name}' is announced by its agent: its name, labels and keys come from there, and it goes with: gatehouse agents rm ${name}`,
  );
}

/** As it is in this transaction, and until that ends; rights are decided again, because labels decide them. */
export async function readAgain(
  tx: Tx,
  { access, actor, verb }: { access: Pick<AccessControl, 'decide'>; actor: Actor; verb: 'update' | 'delete' },
  { cluster, kind, id, name: called }: Resource,
): Promise<{ resource: Resource; spec: OpenSshNodeSpec }> {
  await holdNames(tx);
  const resource = await findResource(tx, { cluster, kind, id });
  if (!resource) throw notFound('server', called);
  const { name, labels } = resource;
  const object = { kind: 'node', name, labels };
  if (!access.decide(actor, { type: 'verb', resource: 'node', verb, object }).allowed) throw notFound('server', called);
  return { resource, spec: requireEntered(resource) };
}

/** What was looked up about a machine, who its twins are and where its address leads, holds only for this one. */
export function requireSameMachine(now: OpenSshNodeSpec, before: OpenSshNodeSpec, name: string): void {
  const told = ({ addr, through, hostKeys }: OpenSshNodeSpec) => JSON.stringify([addr, through, hostKeys]);
  if (told(now) === told(before)) return;
  throw new AppError('conflict', `the server '${name}' was changed by somebody else meanwhile: look at it again`);
}
