/** Names a state of a user: whoever changes it says which one they saw. */
import { createHash } from 'node:crypto';
import type { User } from '../stores/user-store.ts';

export function revisionOf({ roles, traits }: Pick<User, 'roles' | 'traits'>): string {
  const sorted = Object.entries(traits).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([roles, sorted]))
    .digest('base64url')
    .slice(0, 22);
}
