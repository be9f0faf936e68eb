/** Whether a role is there for somebody who may list only some of them. */

import type { Actor } from '../platform/http/actor.ts';
import { AppError } from '../platform/std/app-error.ts';
import type { AccessControl } from './create-access.ts';
import { parseRole } from './document/role-document.ts';
import type { StoredRole } from './role-store.ts';

export function mayListRole(
  access: Pick<AccessControl, 'decide'>,
  actor: Actor,
  { name, content }: Pick<StoredRole, 'name' | 'content'>,
): boolean {
  const labels = actor.isOwner ? {} : labelsIn(content);
  const object = { kind: 'role', name, labels };
  return access.decide(actor, { type: 'verb', resource: 'role', verb: 'list', object }).allowed;
}

/** The role it looks like is named where it may be. */
export function looksTaken(name: string, other: string | undefined): AppError {
  const whose = other === undefined ? 'another role' : `role '${other}'`;
  return new AppError('conflict', `the name '${name}' looks like that of ${whose}`);
}

function labelsIn(content: string): Record<string, string> {
  try {
    return parseRole(content).document.metadata.labels ?? {};
  } catch {
    // A document that can no longer be read is still listed, so that it can be put right.
    return {};
  }
}
