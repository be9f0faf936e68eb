/** Sign-ins that belong to one address: who has a role that pins it uses theirs from there, at whichever door. */
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findSignIn, type SignIn } from '../stores/sign-in-store.ts';

export const OTHER_ADDRESS = 'your sign-in is tied to another address: sign in again';

/** Where something that is open under a sign-in is used from. */
export interface Used {
  signInId: string;
  address: string;
}

export function isPinned(access: Pick<AccessControl, 'of'>, subject: Subject): boolean {
  return access.of(subject).roles.some(({ role }) => role.options.pin_source_ip === true);
}

/** Nobody need be looked at while no role pins. */
export function somebodyPins(access: Pick<AccessControl, 'role' | 'roleNames'>): boolean {
  return access.roleNames().some((name) => access.role(name)?.options.pin_source_ip === true);
}

export function isElsewhere({ tiedTo }: Pick<SignIn, 'tiedTo'>, address: string): boolean {
  return tiedTo !== undefined && tiedTo !== clientKey(address);
}

/** Whether what a subject has open must end for where it is used from. Who works on the machine of the gateway has no sign-in. */
export async function isUsedElsewhere(
  { db, access }: { db: Db; access: Pick<AccessControl, 'of'> },
  subject: Subject,
  { signInId, address }: Used,
): Promise<boolean> {
  if (signInId === '' || !isPinned(access, subject)) return false;
  const signIn = await findSignIn(db, signInId);
  return signIn !== undefined && isElsewhere(signIn, address);
}
