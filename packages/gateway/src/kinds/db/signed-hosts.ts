/** Whose certificates a join token signs: whoever holds one must not pose as whichever database they like. */
import { fitsLabels } from '@gatehouse/contract/std/matcher-labels';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { StoredJoinToken } from '../../reach/agents/join-tokens/join-token-store.ts';
import { enteredDbs } from './listed-db.ts';

/**
 * The hosts it was made for. One that names none signs for databases that are entered and whose labels it names: whoever
 * made it said that those who hold it look after them. Throws for every other host.
 */
export async function refuseOtherHosts(
  from: Db,
  cluster: string,
  token: Pick<StoredJoinToken, 'hosts' | 'matcherLabels'>,
  asked: readonly string[],
): Promise<void> {
  const allowed = new Set(token.hosts.length > 0 ? token.hosts : await hostsByLabels(from, cluster, token));
  const other = asked.find((host) => !allowed.has(host));
  if (other === undefined) return;
  throw new AppError(
    'denied',
    `this join token signs no certificate for '${other}': make one that does with gatehouse tokens add --type=db --hosts ${other}`,
  );
}

async function hostsByLabels(
  from: Db,
  cluster: string,
  { matcherLabels }: Pick<StoredJoinToken, 'matcherLabels'>,
): Promise<string[]> {
  if (Object.keys(matcherLabels).length === 0) return [];
  const fitting = (await enteredDbs(from, cluster)).filter(({ resource }) =>
    fitsLabels(matcherLabels, resource.labels),
  );
  return fitting.flatMap(({ address, spec }) => [...address.hosts.map(({ host }) => host), spec.tls.serverName]);
}
