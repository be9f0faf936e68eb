/** Which names a new user may have: none that is taken, looks like another's, or stands for something else. */
import { shapeOfName } from '../../access/document/role-name.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findUser, listUserNames } from '../stores/user-store.ts';

/** Words that stand in the place of a name in addresses. */
const RESERVED: ReadonlySet<string> = new Set(['invite', 'password', 'privilege']);

/** A name that a reader would take for another's is as good as taken; whose it is, is told to whoever may know them. */
export async function refuseTakenName(db: Db, name: string, isKnown: (other: string) => boolean): Promise<void> {
  refuseReservedName(name);
  if (await findUser(db, name)) throw new AppError('conflict', `user '${name}' exists already`);
  const shape = shapeOfName(name);
  const other = (await listUserNames(db)).find((each) => shapeOfName(each) === shape);
  if (other !== undefined) throw looksTaken(name, isKnown(other) ? other : undefined);
}

export function looksTaken(name: string, other: string | undefined): AppError {
  const whose = other === undefined ? 'somebody else' : `user '${other}'`;
  return new AppError('conflict', `the name '${name}' looks like that of ${whose}`);
}

export function refuseReservedName(name: string): void {
  if (RESERVED.has(name)) throw new AppError('bad_request', `nobody can be called '${name}': it has another meaning`);
}
