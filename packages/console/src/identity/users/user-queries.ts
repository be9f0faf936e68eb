/** Users as the gateway finds them, a page at a time; the changes socket makes them stale with everything about access. */
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { userListRoutes } from '@gatehouse/contract/identity/users/user-list';
import type { Sort } from '@gatehouse/design/table-head';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useApi } from '../../platform/browser/use-api.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useDebounced } from '../../shared/resource-list/use-debounced.ts';
import type { UserFilter } from './user-filter.ts';

/** What was typed is asked for when the hand rests. */
const TYPING_MS = 120;
/** More than any window shows: each row that is drawn is paid for again by every search, and by every dialog over the list. */
const FIRST_ROWS = 50;
const PAGE_ROWS = 200;
const params = { clusterId: CURRENT_CLUSTER };

export function useFoundUsers(search: string, filter: UserFilter, { key, direction }: Sort) {
  const api = useApi();
  const { userAcl } = useUser();
  const typed = useDebounced(search, TYPING_MS);
  const wanted = given({ search: typed, ...filter, sort: `${key}:${direction}` });
  return useInfiniteQuery({
    queryKey: ['access', 'found-users', wanted],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...wanted, limit: pageParam === '' ? FIRST_ROWS : PAGE_ROWS, ...given({ startKey: pageParam }) };
      return api(userListRoutes.find, { params, query }, signal);
    },
    initialPageParam: '',
    getNextPageParam: ({ startKey }) => startKey || undefined,
    // Until the answer is there, the rows of the last one stay.
    placeholderData: keepPreviousData,
    enabled: userAcl.users.list,
  });
}

/** One whose row is not among those that were asked for, such as by a link. */
export function useFoundUser(name: string | undefined) {
  const api = useApi();
  const { userAcl } = useUser();
  return useQuery({
    queryKey: ['access', 'found-user', name],
    queryFn: async ({ signal }) => {
      const { items } = await api(userListRoutes.find, { params, query: { name: name ?? '', limit: 1 } }, signal);
      return items[0] ?? null;
    },
    enabled: name !== undefined && userAcl.users.list,
  }).data;
}

function given(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Record<string, string>;
}
