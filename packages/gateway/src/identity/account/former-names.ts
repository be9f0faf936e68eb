/** Names of people who are no more: conditions know people by their names, so whoever gets such a name gets what was theirs. */
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { hasKeptSessions } from '../stores/kept-sessions.ts';

/**
 * Throws when sessions of the name are kept and the actor could not watch them all: the new user would see the
 * recordings of the old one. Asked where nobody has the name now.
 */
export async function refuseFormerName(
  tx: Tx,
  { access, actor }: { access: Pick<AccessControl, 'decide' | 'mayEditRoles'>; actor: Actor },
  name: string,
): Promise<void> {
  if (access.mayEditRoles(actor)) return;
  if (access.decide(actor, { type: 'verb', resource: 'session', verb: 'read' }).allowed) return;
  if (!(await hasKeptSessions(tx, name))) return;
  throw new AppError(
    'denied',
    `sessions of somebody else who was called '${name}' are kept, and would be this user's: choose another name, or ask somebody who may edit roles`,
  );
}
