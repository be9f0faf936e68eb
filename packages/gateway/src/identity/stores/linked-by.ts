/** Whose word it is that somebody at a sign-in provider is a user. */
import type { Tx } from '../../platform/storage/tables.ts';

/**
 * `provider`: their sign-in made the user, through a connector that somebody wrote who may edit roles. `editor`: somebody linked them
 * who may edit roles. `self`: whoever was signed in as the user. `other`: somebody who helps users, or wrote the connector, or had the
 * account before it got new credentials.
 */
export const LINKED_BY = ['provider', 'editor', 'self', 'other'] as const;
export type LinkedBy = (typeof LINKED_BY)[number];

/** Whoever gets new credentials need not be who had the account before: who linked it to themselves, or made it by coming first. */
export async function distrustOwnLinks(tx: Tx, user: string): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ linked_by: 'other' satisfies LinkedBy })
    .where('user', '=', user)
    .where('linked_by', 'in', ['self', 'provider'] satisfies LinkedBy[])
    .execute();
}

/** Whoever chose what speaks for a connector, and may not edit roles, could say that they are each of them. */
export async function distrustLinksAt(tx: Tx, connector: string): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ linked_by: 'other' satisfies LinkedBy })
    .where('connector', '=', connector)
    .execute();
}
