/** What a database that is entered may not be: named as another, or found where agents offer one. */
import type { DbSpec } from '@gatehouse/contract/kinds/db/db-spec';
import { heldFor } from '../../inventory/held-names.ts';
import { findResource, holdNames, type Resource } from '../../inventory/resource-store.ts';
import { readAddresses } from '../../inventory/same-address.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';

type Entered = Pick<Resource, 'cluster' | 'name'> & { spec: DbSpec; isNew: boolean };

/** Until the transaction ends nobody else takes its name. Whose an address is, is told to whoever may know that database. */
export async function refuseTakenDb(
  tx: Tx,
  { cluster, name, spec, isNew }: Entered,
  isKnown: (tx: Tx, name: string) => Promise<boolean>,
): Promise<void> {
  await holdNames(tx);
  const of = { cluster, kind: 'db' } as const;
  const named = isNew ? await findResource(tx, { ...of, id: name }) : undefined;
  if (named)
    throw new AppError(
      'conflict',
      named.owner === ''
        ? `there is a database '${name}' already: choose another name, or change that one`
        : `the name '${name}' belongs to a database that an agent offers: choose another name`,
    );
  const [held] = isNew ? await heldFor(tx, of, { id: name, host: '' }) : [];
  if (held)
    throw new AppError(
      'conflict',
      `the name '${name}' belongs to agents that offered such a database: choose another, or free it first with: gatehouse db free ${name}`,
    );
  const other = (await readAddresses(tx, of)).other(spec, { id: name, holder: '' });
  if (other === undefined) return;
  throw new AppError(
    'conflict',
    (await isKnown(tx, other.id))
      ? `agents offer the database '${other.id}' at the host of '${spec.uri}': ${other.harm}`
      : `the host of '${spec.uri}' is taken: choose another`,
  );
}
