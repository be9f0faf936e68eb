/** Whose word it is that somebody at a sign-in provider is a user. */
import type { Tx } from '../../platform/storage/tables.ts';

/**
 * `provider`: their sign-in made the user, through a connector that somebody wrote who may edit roles. `editor`: somebody linked them
 * who may edit roles. `self`: whoever was signed in as the user. `other`: somebody who helps users, or wrote the connector. `doubted`:
 * whoever had the account before it got new credentials. It signs nobody in until who has those proves to be the same.
 */
export const LINKED_BY = ['provider', 'editor', 'self', 'other', 'doubted'] as const;
export type LinkedBy = (typeof LINKED_BY)[number];

export function isDoubted({ linkedBy }: { linkedBy: LinkedBy }): boolean {
  return linkedBy === 'doubted';
}

/**
 * Whoever gets new credentials need not be who had the account before: who linked it to themselves, or made it by coming first, would
 * come in beside them. One that nobody has come through yet hands the account over when somebody does, and stays as it is.
 */
export async function doubtLinks(tx: Tx, user: string): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ linked_by: 'doubted' satisfies LinkedBy })
    .where('user', '=', user)
    .where('linked_by', 'in', ['self', 'provider', 'other'] satisfies LinkedBy[])
    .where('issuer', '!=', '')
    .execute();
}

/** Whoever chose what speaks for a connector, and may not edit roles, could say that they are each of them. */
export async function distrustLinksAt(tx: Tx, connector: string): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ linked_by: 'other' satisfies LinkedBy })
    .where('connector', '=', connector)
    .where('linked_by', '!=', 'doubted' satisfies LinkedBy)
    .execute();
}

/**
 * Somebody who may not edit roles got a key to the account: whoever comes next through a link that an editor made takes it over, as if
 * nobody had come through it yet. Otherwise both would have what its provider gives next.
 */
export async function unhearEditorLinks(tx: Tx, user: string): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ issuer: '' })
    .where('user', '=', user)
    .where('linked_by', '=', 'editor' satisfies LinkedBy)
    .execute();
}

/** Somebody who may edit roles vouches for the connector again: whoever spoke for its people meanwhile could have left keys with each of them. */
export async function unhearLinksAt(tx: Tx, connector: string): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ issuer: '' })
    .where('connector', '=', connector)
    .where('linked_by', '=', 'other' satisfies LinkedBy)
    .execute();
}
