/** Passwords of users of databases: sealed beside the record, told to nobody, and good for the address and the way there that they were given for. */

import type { DbSpec } from '@gatehouse/contract/kinds/db/db-spec';
import { z } from 'zod';
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { dbTargetOf, type ListedDb } from './listed-db.ts';

const MAX_PASSWORDS = 100;

const contents = z.object({
  /** Another address has no claim to them, however it came into the record. */
  target: z.string(),
  passwords: z.record(z.string(), z.string()),
});

export interface DbSecrets {
  /** With the password of one user set, or forgotten; undefined where none is left. Throws where there are too many. */
  change(
    name: string,
    db: Pick<ListedDb, 'spec' | 'sealed'>,
    user: string,
    password: string | undefined,
  ): string | undefined;
  /** What stays of them when the record becomes `after`: all, or nothing. */
  keep(name: string, before: Pick<ListedDb, 'spec' | 'sealed'>, after: DbSpec): string | undefined;
  passwordOf(name: string, db: Pick<ListedDb, 'spec' | 'sealed'>, user: string): string | undefined;
  /** Sorted. */
  usersOf(name: string, db: Pick<ListedDb, 'spec' | 'sealed'>): string[];
}

export function createDbSecrets(box: SecretBox): DbSecrets {
  const read = (name: string, { spec, sealed }: Pick<ListedDb, 'spec' | 'sealed'>): Map<string, string> => {
    if (sealed === undefined) return new Map();
    const { target, passwords } = contents.parse(JSON.parse(box.openText(placeOf(name), sealed)));
    return target === dbTargetOf(spec) ? new Map(Object.entries(passwords)) : new Map();
  };
  return {
    change(name, db, user, password) {
      const passwords = read(name, db);
      if (password === undefined) passwords.delete(user);
      else passwords.set(user, password);
      if (passwords.size > MAX_PASSWORDS)
        throw new AppError('bad_request', `at most ${MAX_PASSWORDS} passwords are stored for one database`);
      if (passwords.size === 0) return undefined;
      const held = { target: dbTargetOf(db.spec), passwords: Object.fromEntries(passwords) };
      return box.seal(placeOf(name), JSON.stringify(held));
    },
    keep: (_name, before, after) => (dbTargetOf(before.spec) === dbTargetOf(after) ? before.sealed : undefined),
    passwordOf: (name, db, user) => read(name, db).get(user),
    usersOf: (name, db) => [...read(name, db).keys()].sort(),
  };
}

function placeOf(name: string): SealedContext {
  return { table: 'resource', id: name, column: 'sealed' };
}
