/** What has joined with any of some tokens, of whichever kind. */
import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { useQueries } from '@tanstack/react-query';
import { useApi } from '../../platform/browser/use-api.ts';
import type { ResourceKind } from '../resource-list/resource-kind.ts';
import { fewQuery } from '../resource-list/resource-queries.ts';
import type { JoinedThing, WatchedToken } from './flow.ts';

/** As many as one command is likely to bring; the count of a larger fleet is the gateway's. */
const SHOWN = 200;
/** The changes socket says when to look again; where it is away, this does. */
const LOOK_EVERY_MS = 3_000;

export function useJoinedThings<T>(
  list: ResourceKind<T>,
  toThing: (row: T) => JoinedThing,
  clusterId: string,
  tokens: readonly WatchedToken[],
): readonly JoinedThing[] {
  const api = useApi();
  const found = useQueries({
    queries: tokens
      .filter(({ resourceId }) => resourceId !== '')
      .map(({ resourceId }) => ({
        ...fewQuery(list, api, clusterId, `${RESOURCE_ID_LABEL} ${resourceId}`, SHOWN),
        refetchInterval: LOOK_EVERY_MS,
      })),
  });
  return found.flatMap(({ data }) => data?.items.map(toThing) ?? []);
}
