/** Whether the log still contains what was signed: asked before anything is signed again. */
import type { ChainEnd, CheckpointBody } from '@gatehouse/contract/audit/checkpoint';
import type { Tx } from '../../platform/storage/tables.ts';

/** The chains are not those that were signed; signing them would vouch for a change. */
export class SigningRefused extends Error {
  override name = 'SigningRefused';
}

interface Signed {
  /** What this gateway remembers. */
  last: CheckpointBody | undefined;
  /** The newest in the store, if it is really signed: another gateway may have removed what expired since. */
  newest: CheckpointBody | undefined;
  /** Events in front are being removed by us, in this transaction. */
  isRemoving?: boolean;
}

export async function requireSigned(tx: Tx, { last, newest, isRemoving }: Signed): Promise<void> {
  for (const end of last?.chains ?? []) {
    const other = newest?.chains.find(({ chain }) => chain === end.chain);
    const starts = isRemoving ? undefined : [end, ...(other ? [other] : [])].map(({ start }) => start?.index ?? 0);
    const misfit = await misfitOf(tx, end, starts);
    if (misfit) throw new SigningRefused(`checkpoint ${last?.number} was signed over another log: ${misfit}`);
  }
}

async function misfitOf(
  tx: Tx,
  { chain, index, hash }: ChainEnd,
  starts: readonly number[] | undefined,
): Promise<string | undefined> {
  if (index === 0) return undefined;
  const known = await tx.selectFrom('event_chain').selectAll().where('chain', '=', chain).executeTakeFirst();
  if (!known) return `the chain '${chain}' is gone`;
  if (known.length < index) return `event ${known.length + 1} of chain '${chain}' is missing, and all after it`;
  if (starts && !starts.includes(known.start_index))
    return `the chain '${chain}' begins at event ${known.start_index + 1}, and nothing signed says so`;
  if (known.start_index > index) return undefined;
  if (known.start_index === index)
    return known.start_hash === hash ? undefined : `event ${index} of chain '${chain}' was another one`;
  const row = await tx
    .selectFrom('event')
    .select('hash')
    .where('chain', '=', chain)
    .where('chain_index', '=', index)
    .executeTakeFirst();
  if (!row) return `event ${index} of chain '${chain}' is missing`;
  return row.hash === hash ? undefined : `event ${index} of chain '${chain}', or one before it, was written anew`;
}
