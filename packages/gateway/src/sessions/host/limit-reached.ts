/** How many sessions roles let somebody have at once. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { Tx } from '../../platform/storage/tables.ts';
import type { AdmitRequest, Terms } from './admit.ts';
import { countOpenSessions } from './session-store.ts';

/** `max_connections` counts what somebody has open of a kind, `max_sessions` what of it is with the very same server. */
export async function limitReached(
  tx: Tx,
  { caller, action }: Pick<AdmitRequest, 'caller' | 'action'>,
  { options }: Terms,
): Promise<{ reason: string; max: number } | undefined> {
  const { cluster, id } = action.resource;
  const { connectionLimit, countsSessions } = factsOf(action.kind);
  const maxConnections = connectionLimit === undefined ? options.maxConnections : options.maxKubeConnections;
  const { maxSessions } = options;
  const mine = { cluster, user: caller.username, kind: action.kind };
  if (maxConnections !== undefined && (await countOpenSessions(tx, mine)) >= maxConnections)
    return { reason: 'you have too many sessions open', max: maxConnections };
  if (maxSessions === undefined || !countsSessions) return undefined;
  if ((await countOpenSessions(tx, { ...mine, resource: id })) < maxSessions) return undefined;
  return { reason: `you have too many sessions open with '${action.resource.name}'`, max: maxSessions };
}
