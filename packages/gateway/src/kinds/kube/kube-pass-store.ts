/** Passes of programs for Kubernetes clusters, in the store: their hashes, and whose they are. */
import { hashToken, newToken } from '../../platform/crypto/tokens.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';

export interface KubePass {
  /** SHA-256 of what programs show. */
  hash: string;
  username: string;
  signInId: string;
  /** The name of the Kubernetes cluster; it is good for no other. */
  cluster: string;
  /** The id of its record. */
  resource: string;
  expires: number;
  /** Whether whoever asked for it proved a second factor then. */
  factorProven: boolean;
}

/** In place of the id of a record, of what a leaf has: there is none here. */
export const ELSEWHERE = 'elsewhere';

export type NewKubePass = Omit<KubePass, 'hash'>;

/**
 * Each gateway command on each machine has one, and asks for the next when that has run out. One more than so many voids the oldest:
 * whoever asks without end fills no table.
 */
const MAX_OF_SIGN_IN = 1_000;

/** Gives what programs show; nothing else ever has it. */
export async function insertKubePass(
  tx: Tx,
  on: string,
  { username, signInId, cluster, resource, expires, factorProven }: NewKubePass,
  now: number,
): Promise<string> {
  const token = newToken();
  await tx
    .insertInto('kube_pass')
    .values({
      ...{ hash: hashToken(token), user: username, sign_in: signInId, cluster: on, resource, name: cluster },
      ...{ given: now, expires, factor_proven: factorProven ? 1 : 0 },
    })
    .execute();
  const surplus = tx
    .selectFrom('kube_pass')
    .select('hash')
    .where('sign_in', '=', signInId)
    .orderBy('given', 'desc')
    .orderBy('hash')
    .offset(MAX_OF_SIGN_IN)
    // SQLite has no offset without a limit.
    .limit(MAX_OF_SIGN_IN);
  await tx.deleteFrom('kube_pass').where('hash', 'in', surplus).execute();
  return token;
}

/** Only while its sign-in goes on and its cluster is there. */
export async function findKubePass(db: Db, on: string, hash: string, now: number): Promise<KubePass | undefined> {
  const row = await db
    .selectFrom('kube_pass as pass')
    .innerJoin('sign_in', 'sign_in.id', 'pass.sign_in')
    .leftJoin('resource', (join) =>
      join
        .onRef('resource.cluster', '=', 'pass.cluster')
        .onRef('resource.id', '=', 'pass.resource')
        .on('resource.kind', '=', 'kube'),
    )
    .select(['pass.hash', 'pass.user', 'pass.sign_in', 'pass.name', 'pass.resource', 'pass.expires'])
    .select('pass.factor_proven')
    .where((or) => or.or([or('resource.id', 'is not', null), or('pass.resource', '=', ELSEWHERE)]))
    .where('pass.hash', '=', hash)
    .where('pass.cluster', '=', on)
    .where('pass.expires', '>', now)
    .where('sign_in.ended', 'is', null)
    .where('sign_in.expires', '>', now)
    .executeTakeFirst();
  return (
    row && {
      ...{ hash: row.hash, username: row.user, signInId: row.sign_in, cluster: row.name, resource: row.resource },
      ...{ expires: row.expires, factorProven: row.factor_proven === 1 },
    }
  );
}

/** Of a cluster that is removed: one of the same name that is entered afterwards is another. */
export async function removeKubePasses(tx: Tx, { cluster, id }: { cluster: string; id: string }): Promise<void> {
  await tx.deleteFrom('kube_pass').where('cluster', '=', cluster).where('resource', '=', id).execute();
}

/** Of those that have run out, and of sign-ins that are over. */
export async function sweepKubePasses(db: Db, now: number): Promise<void> {
  await db.deleteFrom('kube_pass').where('expires', '<=', now).execute();
  const alive = db.selectFrom('sign_in').select('id').where('ended', 'is', null).where('expires', '>', now);
  await db.deleteFrom('kube_pass').where('sign_in', 'not in', alive).execute();
}
