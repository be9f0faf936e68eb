/** Users and locks written as documents, the way apply reads them. */

import type { LockDocument } from '@gatehouse/contract/access/apply/lock-document';
import { TRAITS } from '@gatehouse/contract/identity/users/users';
import { writeRole } from '../../access/document/write-role.ts';
import type { Lock } from '../../access/lock-store.ts';
import { templateTraits } from '../../access/user-traits.ts';
import type { Traits, User } from '../stores/user-store.ts';

/** What documents call a trait → what user records call it. */
const STORED_NAME: ReadonlyMap<string, string> = new Map(
  TRAITS.map((trait) => [Object.keys(templateTraits({ [trait]: [] }))[0] ?? trait, trait]),
);

export function storedTraits(written: Traits): Record<string, string[]> {
  const given = Object.entries(written).filter(([, values]) => values.length > 0);
  return Object.fromEntries(given.map(([name, values]) => [STORED_NAME.get(name) ?? name, [...values]]));
}

export function userText({ name, roles, traits }: Pick<User, 'name' | 'roles' | 'traits'>): string {
  const held = Object.entries(templateTraits(traits)).filter(([, values]) => values.length > 0);
  const sorted = held.map(([trait, values]) => [trait, values.toSorted()]);
  return writeRole({
    kind: 'user',
    version: 'v2',
    metadata: { name },
    spec: { roles: roles.toSorted(), ...(sorted.length > 0 ? { traits: Object.fromEntries(sorted) } : {}) },
  });
}

export function lockText({ id, target, message, expires }: Omit<Lock, 'created' | 'createdBy'>): string {
  const document: LockDocument = {
    kind: 'lock',
    version: 'v2',
    metadata: { name: id },
    spec: {
      target: { [target.kind]: target.name },
      message,
      ...(expires === undefined ? {} : { expires: new Date(expires).toISOString() }),
    },
  };
  return writeRole(document);
}
