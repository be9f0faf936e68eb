/** What a desktop that is entered may not be: named as another, or sent a password that its maker could not give it. */
import type { AccessControl } from '../../access/create-access.ts';
import { findResource, holdNames } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { isMeantBy, type WidePassword } from './desktop-secrets.ts';
import { desktopTargetOf, type ListedDesktop } from './listed-desktop.ts';

/** Until the transaction ends nobody else takes its name. */
export async function refuseTakenDesktop(tx: Tx, { cluster, name }: { cluster: string; name: string }): Promise<void> {
  await holdNames(tx);
  const named = await findResource(tx, { cluster, kind: 'desktop', id: name });
  if (!named) return;
  throw new AppError(
    'conflict',
    named.owner === ''
      ? `there is a desktop '${name}' already: choose another name, or change that one`
      : `the name '${name}' belongs to a desktop that an agent offers: choose another name`,
  );
}

/** What is stored by labels is sent to whatever has them: whoever could enter a host of their own under such labels would be told it. */
export function refusePasswordGift(
  access: Pick<AccessControl, 'mayEditRoles'>,
  actor: Actor,
  all: readonly WidePassword[],
  before: ListedDesktop | undefined,
  after: ListedDesktop,
): void {
  if (access.mayEditRoles(actor)) return;
  const isAnother = !before || desktopTargetOf(before) !== desktopTargetOf(after);
  const gained = all.find(
    (wide) => isMeantBy(wide, after.resource) && (isAnother || !isMeantBy(wide, before.resource)),
  );
  if (!gained) return;
  throw new AppError(
    'denied',
    `a password that is stored for desktops with labels would be sent to '${after.resource.name}': only who may edit roles changes it that way`,
  );
}
