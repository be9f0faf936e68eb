/** Keeps edits away from users whose roles and traits come from a sign-in provider. */
import { AppError } from '../../platform/std/app-error.ts';
import type { Traits, User } from '../stores/user-store.ts';
import { revisionOf } from './user-revision.ts';

/** Whoever comes through a provider is given roles and traits at each sign-in: an edit would be undone without a word. */
export function refuseProvided(user: User, after: { roles: readonly string[]; traits: Traits }): void {
  if (user.authType === 'local' || revisionOf({ ...user, ...after }) === revisionOf(user)) return;
  throw new AppError(
    'conflict',
    `'${user.name}' comes through a sign-in provider (${user.authType}), which gives roles and traits at each sign-in: change the mapping of its connector, or unlink them`,
  );
}
