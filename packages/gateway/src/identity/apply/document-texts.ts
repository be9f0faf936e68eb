/** Users and locks written as documents, the way apply reads them. */

import type { LockDocument } from '@gatehouse/contract/access/apply/lock-document';
import { stringify } from 'yaml';
import type { Lock } from '../../access/lock-store.ts';
import { recordTraits, templateTraits } from '../../access/user-traits.ts';
import type { Traits, User } from '../stores/user-store.ts';

export function storedTraits(written: Traits): Record<string, string[]> {
  return recordTraits(Object.fromEntries(Object.entries(written).filter(([, values]) => values.length > 0)));
}

export function userText({ name, roles, traits }: Pick<User, 'name' | 'roles' | 'traits'>): string {
  const held = Object.entries(templateTraits(traits)).filter(([, values]) => values.length > 0);
  const sorted = held.map(([trait, values]) => [trait, values.toSorted()]);
  return writeDocument({
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
  return writeDocument(document);
}

/** Keys sorted, so that two writings of one document are equal. */
function writeDocument(document: object): string {
  return stringify(document, { sortMapEntries: true, lineWidth: 0, indentSeq: false });
}
