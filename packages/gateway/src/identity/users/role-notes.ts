/** What is told to whoever gives roles that, with the traits of that user, give nothing. */
import { missingTraitNotes } from '../../access/missing-traits.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { Traits } from '../stores/user-store.ts';

/** What of somebody's roles gives nothing as they are. */
export function notesOn(
  access: IdentityDeps['access'],
  { name, roles, traits }: { name: string; roles: readonly string[]; traits: Traits },
): { notes?: string[] } {
  const notes = missingTraitNotes(access.of({ username: name, roles, traits }));
  return notes.length > 0 ? { notes } : {};
}
