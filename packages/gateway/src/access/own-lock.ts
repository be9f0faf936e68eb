/** A lock that holds back whoever would lift it. */
import { LABEL_FIELDS, type LabelField } from '@gatehouse/contract/access/roles/vocabulary';
import { rows } from '@gatehouse/contract/kinds/kinds';
import type { Actor } from '../platform/http/actor.ts';
import { AppError } from '../platform/std/app-error.ts';
import type { Access } from './bind-access.ts';
import type { AccessControl } from './create-access.ts';
import type { Lock } from './lock-store.ts';
import { foldText } from './match/pattern.ts';

/** Throws for who would give themselves back what somebody else forbade them. */
export function refuseOwnLock(access: Pick<AccessControl, 'of' | 'mayEditRoles'>, actor: Actor, lock: Lock): void {
  if (access.mayEditRoles(actor) || lock.createdBy === actor.username) return;
  if (!binds(access.of(actor), lock.target)) return;
  throw new AppError(
    'denied',
    `lock '${lock.id}' holds you back as well: only who made it, or may edit roles, can lift it`,
  );
}

/** Whether it may forbid somebody something their roles allow. */
function binds({ roles }: Access, { kind, name }: Lock['target']): boolean {
  const reaches = (field: LabelField) => roles.some(({ allow }) => allow.labels.has(field));
  switch (kind) {
    case 'user':
    case 'role':
      // Whoever it holds does not get as far as this.
      return false;
    case 'agent':
      return LABEL_FIELDS.some(reaches);
    case 'login':
      return roles.some(({ allow }) =>
        [...allow.principals.values()].some(
          ({ any, values }) => any || [...values].some((value) => foldText(value) === foldText(name)),
        ),
      );
    default:
      return rows.some(({ lockTarget, labels }) => lockTarget === kind && reaches(labels as LabelField));
  }
}
