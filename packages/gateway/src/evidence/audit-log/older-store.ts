/** Whether the store was taken back to an earlier state than this gateway has signed: told at the start, before anybody works with it. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckpointBody } from '@gatehouse/contract/audit/checkpoint';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { StartError } from '../../platform/std/start-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { MEMORY_FILE, openSignedMemory } from './signed-memory.ts';

interface OlderStoreDeps {
  db: Db;
  secrets: SecretBox;
  dataDir: string;
  chain: string;
  /** The operator knows, and wants it so. */
  isAccepted: boolean;
  now: () => number;
}

/** Gives back what is missing when that was accepted; empty when nothing is. Throws what the operator should read. */
export async function admitOlderStore({
  db,
  secrets,
  dataDir,
  chain,
  isAccepted,
  now,
}: OlderStoreDeps): Promise<string> {
  const last = (await openSignedMemory({ dataDir, secrets, db, chain })).last();
  if (!last) return '';
  const missing = await misfit(db, last.body);
  if (missing === undefined) return '';
  if (!isAccepted) {
    throw new StartError(
      `the store is older than what this gateway has signed, or went another way: ${missing}. Locks, changed roles and removed people since then are undone in it. ` +
        'Put the newer store back, gatehouse.db together with gatehouse.db-wal. ' +
        'If it was restored from a backup on purpose: gatehouse start --accept-older-store, once on every gateway',
    );
  }
  const time = new Date(now()).toISOString().replaceAll(/[-:.]/g, '');
  // Kept: whoever asks later what was lost finds it there.
  renameSync(join(dataDir, MEMORY_FILE), join(dataDir, `${MEMORY_FILE}.before-${time}`));
  return missing;
}

/** Only where the chains ended when they were signed: what is wrong before that, `audit verify` finds. */
async function misfit(db: Db, { time, chains }: CheckpointBody): Promise<string | undefined> {
  for (const { chain, index, hash } of chains) {
    if (index === 0) continue;
    const known = await db.selectFrom('event_chain').select('length').where('chain', '=', chain).executeTakeFirst();
    const length = known?.length ?? 0;
    if (length < index) return `it had ${index} events of the chain '${chain}' on ${time}, and has ${length} now`;
    const row = await db
      .selectFrom('event')
      .select('hash')
      .where('chain', '=', chain)
      .where('chain_index', '=', index)
      .executeTakeFirst();
    // Without one it has expired.
    if (row && row.hash !== hash) return `event ${index} of the chain '${chain}' was another one on ${time}`;
  }
  return undefined;
}
