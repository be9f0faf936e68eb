/** Keeps on a connector why it does not work, until it does again. */
import { recheckFailed } from '@gatehouse/contract/audit/connector-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { noteConnector, type StoredConnector } from '../stores/connector-store.ts';
import { countIdentities } from '../stores/identity-store.ts';

/** Of the whole connector: told once when it begins, not for everybody who would have been asked about. Empty: it works. */
export async function noteTrouble(
  tx: Tx,
  audit: Audit,
  { name, trouble: before }: Pick<StoredConnector, 'name' | 'trouble'>,
  trouble: string,
): Promise<void> {
  if ((before === '') === (trouble === '')) return;
  await noteConnector(tx, name, { trouble });
  if (trouble === '') return;
  const users = (await countIdentities(tx)).get(name) ?? 0;
  await audit.emit(tx, recheckFailed, { name, users, error: trouble });
}
