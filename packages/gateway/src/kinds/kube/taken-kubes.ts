/** What a Kubernetes cluster that is entered may not be: named as another. */
import { heldFor } from '../../inventory/held-names.ts';
import { findResource, holdNames } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';

/** Until the transaction ends nobody else takes its name. */
export async function refuseTakenKube(tx: Tx, { cluster, name }: { cluster: string; name: string }): Promise<void> {
  await holdNames(tx);
  const of = { cluster, kind: 'kube' } as const;
  const named = await findResource(tx, { ...of, id: name });
  if (named)
    throw new AppError(
      'conflict',
      named.owner === ''
        ? `there is a Kubernetes cluster '${name}' already: choose another name, or change that one`
        : `the name '${name}' belongs to a Kubernetes cluster that an agent offers: choose another name`,
    );
  const [held] = await heldFor(tx, of, { id: name, host: '' });
  if (held)
    throw new AppError(
      'conflict',
      `the name '${name}' belongs to agents that offered such a cluster: choose another, or free it first with: gatehouse kube free ${name}`,
    );
}
