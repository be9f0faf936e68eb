/** What of a record only those may say who may edit roles, because it leads what is the gateway's own. */
import { type DbSpec, signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import type { AccessControl } from '../../access/create-access.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import { dbTargetOf } from './listed-db.ts';

/**
 * What a cloud is signed in to with belongs to the gateway, and opens whatever that may open there: a record says to which server it
 * is sent and by whom that is vouched for. Passwords are stored for one target; this would follow it anywhere.
 */
export function refuseCloud(
  access: Pick<AccessControl, 'mayEditRoles'>,
  actor: Actor,
  before: DbSpec | undefined,
  after: DbSpec,
): void {
  const signIn = signInOf(after);
  if ((signIn !== 'aws' && signIn !== 'gcp') || access.mayEditRoles(actor)) return;
  const sentBy = (spec: DbSpec) => canonicalJson([signInOf(spec), dbTargetOf(spec), spec.aws, spec.gcp]);
  if (before && sentBy(before) === sentBy(after)) return;
  throw needsRoles(`'${signIn}' signs in as the gateway itself, wherever the record leads`);
}

/**
 * An admin user gives people roles in the database, as far as it may itself, and a certificate for it is the gateway's own: where it is
 * led, and who it is, is as much as a role.
 */
export function refuseMaker(
  access: Pick<AccessControl, 'mayEditRoles'>,
  actor: Actor,
  before: DbSpec | undefined,
  after: DbSpec,
): void {
  if (after.adminUser.name === '' || access.mayEditRoles(actor)) return;
  const madeBy = (spec: DbSpec) => canonicalJson([signInOf(spec), dbTargetOf(spec), spec.adminUser]);
  if (before && madeBy(before) === madeBy(after)) return;
  throw needsRoles("'adminUser' gives people roles in the database, wherever the record leads");
}

export function needsRoles(why: string): AppError {
  return new AppError('denied', `${why}: only who may edit roles changes it that way`);
}
