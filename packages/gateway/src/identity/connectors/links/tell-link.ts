/** Tells that somebody was linked to a provider, or unlinked. */
import { identityLinked } from '@gatehouse/contract/audit/connector-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { EventContext } from '../../../platform/audit/event-draft.ts';
import type { Tx } from '../../../platform/storage/tables.ts';

export async function tellLink(
  tx: Tx,
  audit: Audit,
  fields: { user: string; name: string; connector: string; subject: string; action: 'linked' | 'unlinked' },
  context: EventContext,
): Promise<void> {
  await audit.emit(tx, identityLinked, fields, context);
}
