/** What every screen that lists resources keeps: what the address says, the rows of it, the labels that filter, its keys. */
import type { Label } from '@gatehouse/contract/std/labels';
import { useKey } from '@gatehouse/design/use-key';
import type { RowRange } from '@gatehouse/design/virtual-table';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useFollow, usePageParams, useReplacePath } from '../../platform/routing/routing.tsx';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { discoverPath } from '../discover-path/discover-path.ts';
import { useKinds } from '../kinds/kinds-context.tsx';
import { hasLabel, readFilter, toggleLabel, writeFilter } from './filter-query.ts';
import { createInSight } from './range-words.tsx';
import type { ResourceKind } from './resource-kind.ts';
import { useResourceCount, useResources } from './resource-queries.ts';
import { useResourceAddress } from './resource-search-params.ts';

export type ResourceScreen<T> = ReturnType<typeof useResourceScreen<T>>;

export function useResourceScreen<T>(kind: ResourceKind<T>, { mayAdd }: { mayAdd: boolean }) {
  const { clusterId } = usePageParams(kind.page);
  const [address, actions] = useResourceAddress(kind);
  const { filter, open } = actions;
  const follow = useFollow();
  const replacePath = useReplacePath();
  const enrol = useEnrolPath(kind, clusterId);
  const rows = useResources(kind, clusterId, address);
  const { source, onRange, error } = rows;
  const isFiltered = address.search !== '' || address.query !== '' || address.status !== undefined;
  const all = useResourceCount(kind, clusterId, isFiltered);
  const [inSight] = useState(createInSight);
  const [shortcuts] = usePreference('shortcuts');

  const shownFilter = useMemo(() => readFilter(address), [address]);
  const isPicked = useCallback((label: Label) => hasLabel(shownFilter, label), [shownFilter]);
  const onPick = useCallback(
    (label: Label) => filter(writeFilter(toggleLabel(shownFilter, label)), 'push'),
    [filter, shownFilter],
  );
  const look = useCallback(
    (range: RowRange) => {
      inSight.tell(range);
      onRange(range);
    },
    [inSight, onRange],
  );
  useKey(['Escape'], () => open(undefined), address.open !== undefined && address.doing === undefined);
  useKey(['n'], () => follow(enrol), mayAdd && shortcuts !== 'off');
  // Links from before there was a page for it.
  const isAdding = address.doing === 'add' && mayAdd;
  useEffect(() => {
    if (isAdding) replacePath(enrol);
  }, [isAdding, enrol, replacePath]);
  // Without anything to show, what failed is the whole screen: the shell shows it and offers another try.
  if (error && source.list === '' && !isFiltered) throw error;

  return {
    kind,
    clusterId,
    address,
    actions,
    rows,
    inSight,
    isFiltered,
    /** How many there are without the filter, once it is known. */
    all,
    /** There is none, and no filter that hides one. */
    isEmpty: source.list !== '' && source.count === 0 && !isFiltered,
    /** One is open beside the list. */
    isNarrow: address.open !== undefined,
    isPicked,
    onPick,
    onRange: look,
    clearFilter: actions.clear,
    /** Left out for those who may not. */
    add: mayAdd ? () => follow(enrol) : undefined,
  };
}

/** Where one more of it is enrolled, at the cluster that is looked at. */
function useEnrolPath<T>({ kind }: ResourceKind<T>, clusterId: string): string {
  const { flow } = useKinds()[kind];
  const own = usePageConfig().proxyCluster;
  const cluster = clusterId === own ? undefined : clusterId;
  return discoverPath(flow ? { flow, cluster } : { kind, cluster });
}
