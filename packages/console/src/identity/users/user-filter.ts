/** What narrows the list of users, kept in the address beside the search. */
import { USER_STATES, USER_TYPES, type UserState, type UserType } from '@gatehouse/contract/identity/users/find-users';
import { type SearchTexts, useSearch } from '../../platform/routing/routing.tsx';

export interface UserFilter {
  state: UserState | undefined;
  /** Only those without a second factor. */
  factor: 'none' | undefined;
  type: UserType | undefined;
  role: string | undefined;
}

export const NO_FILTER: UserFilter = { state: undefined, factor: undefined, type: undefined, role: undefined };

export function useUserFilter(): [UserFilter, (change: Partial<UserFilter>) => void] {
  const [filter, set] = useSearch(parseFilter);
  return [filter, (change) => void set({ ...change }, 'push')];
}

function parseFilter({ state, factor, type, role }: SearchTexts): UserFilter {
  return {
    state: USER_STATES.find((each) => each === state),
    factor: factor === 'none' ? 'none' : undefined,
    type: USER_TYPES.find((each) => each === type),
    role: role || undefined,
  };
}

/** The role that is to be given to whoever is chosen here, such as by a link from that role. */
export function useGivenRole(): [string | undefined, () => void] {
  const [role, set] = useSearch(parseGive);
  return [role, () => void set({ give: undefined })];
}

function parseGive({ give }: SearchTexts): string | undefined {
  return give || undefined;
}

export function isNarrowed(filter: UserFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}
