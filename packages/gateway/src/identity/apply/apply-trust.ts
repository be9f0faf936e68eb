/** Makes a trust what its document says, as far as one changes: who comes in, and with which roles. Joining is nothing that could be undone with the others. */
import { trustedClusterUpdated } from '@gatehouse/contract/audit/trusted-cluster-events';
import { requireReach } from '../../access/reach.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { wrongWithMap } from '../federation/map/role-map.ts';
import { findTrust, updateTrust } from '../federation/stores/trusted-cluster-store.ts';
import { knownTrust } from '../federation/trusts/known-trust.ts';
import { mapAgain, refuseMap, requireSameRoot } from '../federation/trusts/save-trust.ts';
import { type ApplyDeps, type Outcome, outcome, requireRevision, UNCHANGED } from './apply-deps.ts';
import type { ReadDocument } from './read-document.ts';
import { bareText } from './split-documents.ts';

/** `roles`: those there are, with what came in the same text. */
export async function applyTrust(
  { tx, actor, access, audit, context, now }: ApplyDeps,
  { name, revision, trust }: Extract<ReadDocument, { kind: 'trusted_cluster' }>,
  roles: ReadonlySet<string>,
): Promise<Outcome> {
  const found = await findTrust(tx, name);
  if (!found && access.decide(actor, onTrust(name, 'create')).allowed)
    throw new AppError(
      'bad_request',
      "there is no such trust: it is made by joining a root, with 'gatehouse clusters join'; documents change it afterwards",
    );
  const held = requireReach(access, { actor, verb: 'update', kind: 'trusted_cluster', name }, found);
  requireRevision(`the trust '${name}'`, revision, held.revision);
  requireSameRoot(trust, held);
  const map = trust.document.spec.role_map;
  const exists = (role: string) => roles.has(role);
  const [wrong] = wrongWithMap(map, exists);
  if (wrong) throw new AppError('bad_request', `spec.role_map.${wrong.path.join('.')}: ${wrong.message}`);
  const [before, after] = [bareText(held.content), bareText(trust.content)];
  if (before === after) return UNCHANGED;
  refuseMap(access, actor, { name, map });
  const change = { content: trust.content, enabled: trust.document.spec.enabled };
  const stored = await updateTrust(tx, { name, revision: held.revision }, change);
  if (!stored) throw new AppError('compare_failed', 'it was changed by somebody else meanwhile');
  await mapAgain(tx, knownTrust(stored), { exists, now });
  await audit.emit(tx, trustedClusterUpdated, { user: actor.username, name }, context);
  return outcome(`trusted_cluster/${name}`, before, after);
}

function onTrust(name: string, verb: 'create') {
  return { type: 'verb', resource: 'trusted_cluster', verb, object: { kind: 'trusted_cluster', name } } as const;
}
