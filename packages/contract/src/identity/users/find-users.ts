/** Searches, filters, sorts and counts users: the gateway does it for callers, a page at a time, and so nobody is sent everybody. Pure. */
import { z } from 'zod';
import { listReply } from '../../wire/paging.ts';
import { type UserItem, userItem } from './users.ts';

/**
 * Whether somebody can sign in now. `locked`: by a lock on them or on a role of theirs. `locked-out`: after failed sign-ins, for a while.
 * `left-behind`: they are nobody any more at the connector that gave what they held, or it is switched off, and by no other way are they let in.
 */
export const USER_STATES = ['active', 'invited', 'locked', 'locked-out', 'left-behind'] as const;
export type UserState = (typeof USER_STATES)[number];

export const USER_TYPES = ['local', 'sso'] as const;
export type UserType = (typeof USER_TYPES)[number];

export const USER_SORTS = ['name', 'roles', 'type', 'factors', 'state', 'last'] as const;
type UserSort = (typeof USER_SORTS)[number];

export const MAX_USER_PAGE = 500;
const DEFAULT_PAGE = 200;
/** More roles than anybody looks through; the list of roles has them all. */
const MAX_ROLES = 200;

const text = (max: number) =>
  z
    .string()
    .max(max)
    .optional()
    .transform((given) => given || undefined);

export const userQuery = z.object({
  /** Every word must be met in the name, in a role or in where they come from. */
  search: text(256),
  /** This one only, by the whole name. */
  name: text(256),
  /** Every word must be met in the name itself: nearly everybody has some role that holds a few letters. */
  nameHas: text(256),
  state: z.enum(USER_STATES).optional(),
  /** `none`: local users who have set themselves up and have no second factor. Single sign-on asks for its own. */
  factor: z.enum(['none']).optional(),
  type: z.enum(USER_TYPES).optional(),
  role: text(256),
  sort: z
    .string()
    .regex(
      new RegExp(`^(${USER_SORTS.join('|')}):(asc|desc)$`),
      `must be one of ${USER_SORTS.join(', ')} with :asc or :desc`,
    )
    .default('name:asc'),
  limit: z.coerce.number().int().min(1).max(MAX_USER_PAGE).default(DEFAULT_PAGE),
  startKey: text(4096),
});
export type UserQuery = z.output<typeof userQuery>;

export const foundUser = userItem.extend({ state: z.enum(USER_STATES) });
export type FoundUser = z.output<typeof foundUser>;

const count = z.number().int();

/** How many there would be with each choice, the others staying as they are. */
const userCounts = z.object({
  states: z.record(z.enum(USER_STATES), count),
  withoutFactor: count,
  types: z.object({ local: count, sso: count }),
  roles: z.array(z.object({ name: z.string(), count })),
});
export type UserCounts = z.output<typeof userCounts>;

export const userPage = listReply(foundUser).extend({
  /** Without search and filters. */
  everybody: count,
  counts: userCounts,
});
export type UserPage = z.output<typeof userPage>;

export function findUsers(users: readonly FoundUser[], query: UserQuery): UserPage {
  const searched = users.filter(searchFor(query));
  const tests = testsOf(query);
  const fits = (user: FoundUser, except?: keyof typeof tests) =>
    FACETS.every((facet) => facet === except || tests[facet](user));
  const found = searched.filter((user) => fits(user)).sort(orderOf(query.sort));
  const from = query.startKey === undefined ? 0 : placeAfter(found, query.startKey, query.sort);
  const items = found.slice(from, from + query.limit);
  const last = items.at(-1);
  return {
    items,
    startKey: last && from + items.length < found.length ? keyOf(last, query.sort) : '',
    totalCount: found.length,
    everybody: users.length,
    counts: countsOf((facet) => searched.filter((user) => fits(user, facet))),
  };
}

export function isWithoutFactor(user: UserItem): boolean {
  return typeOf(user) === 'local' && !user.invited && user.factors?.length === 0;
}

/** Whoever came through a connector that is gone was never let in here by anybody: that makes no local user of them. */
export function typeOf({ authType, formerConnector }: Pick<UserItem, 'authType' | 'formerConnector'>): UserType {
  return authType === 'local' && formerConnector === undefined ? 'local' : 'sso';
}

const FACETS = ['state', 'factor', 'type', 'role'] as const;
type Facet = (typeof FACETS)[number];

function testsOf({ state, factor, type, role }: UserQuery): Record<Facet, (user: FoundUser) => boolean> {
  return {
    state: (user) => state === undefined || user.state === state,
    factor: (user) => factor === undefined || isWithoutFactor(user),
    type: (user) => type === undefined || typeOf(user) === type,
    role: (user) => role === undefined || user.roles.includes(role),
  };
}

function searchFor({ search, name, nameHas }: UserQuery): (user: FoundUser) => boolean {
  const words = wordsOf(search);
  const nameWords = wordsOf(nameHas);
  return (user) => {
    if (name !== undefined && user.name !== name) return false;
    const ownName = user.name.toLowerCase();
    if (!nameWords.every((word) => ownName.includes(word))) return false;
    const all = [user.name, ...user.roles, user.formerConnector ?? user.authType].join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

function wordsOf(text: string | undefined): string[] {
  return (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
}

function countsOf(among: (facet: Facet) => readonly FoundUser[]): UserCounts {
  const states = { active: 0, invited: 0, locked: 0, 'locked-out': 0, 'left-behind': 0 };
  for (const { state } of among('state')) states[state] += 1;
  const types = { local: 0, sso: 0 };
  for (const user of among('type')) types[typeOf(user)] += 1;
  const roles = new Map<string, number>();
  for (const user of among('role')) for (const role of user.roles) roles.set(role, (roles.get(role) ?? 0) + 1);
  return {
    states,
    types,
    withoutFactor: among('factor').filter(isWithoutFactor).length,
    roles: [...roles]
      .map(([name, held]) => ({ name, count: held }))
      .sort((a, b) => b.count - a.count || compareTexts(a.name, b.name))
      .slice(0, MAX_ROLES),
  };
}

type UserCursor = { value: string | number | null; name: string };

const VALUES: Record<UserSort, (user: FoundUser) => string | number | undefined> = {
  name: ({ name }) => name,
  roles: ({ roles }) => roles.join(' '),
  type: ({ authType, formerConnector }) => formerConnector ?? authType,
  factors: ({ factors }) => factors?.length,
  state: ({ state }) => state,
  last: ({ lastSignIn }) => (lastSignIn === undefined ? undefined : Date.parse(lastSignIn)),
};

function placeOf(user: FoundUser, sort: string): UserCursor {
  const [key = 'name'] = sort.split(':');
  return { value: VALUES[key as UserSort](user) ?? null, name: user.name };
}

function orderOf(sort: string): (a: FoundUser, b: FoundUser) => number {
  return (a, b) => comparePlaces(placeOf(a, sort), placeOf(b, sort), sort);
}

/** Rows without a value come last, whichever the direction; those alike stand by name. */
function comparePlaces(a: UserCursor, b: UserCursor, sort: string): number {
  if (a.value === null || b.value === null) {
    const both = Number(a.value === null) - Number(b.value === null);
    return both || compareTexts(a.name, b.name);
  }
  const order =
    typeof a.value === 'number' && typeof b.value === 'number'
      ? a.value - b.value
      : compareTexts(String(a.value), String(b.value));
  return (sort.endsWith(':desc') ? -order : order) || compareTexts(a.name, b.name);
}

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Names that the collator takes for the same still have an order: a page must begin exactly after the last. */
function compareTexts(a: string, b: string): number {
  return COLLATOR.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

function keyOf(user: FoundUser, sort: string): string {
  return JSON.stringify(placeOf(user, sort));
}

const storedPlace = z.object({ value: z.union([z.string(), z.number(), z.null()]), name: z.string() });

/** Whoever was deleted meanwhile leaves their place: the next page begins after it. */
function placeAfter(found: readonly FoundUser[], startKey: string, sort: string): number {
  const place = readPlace(startKey);
  // A key that nobody gave out starts over rather than hiding people.
  if (!place) return 0;
  const at = found.findIndex((user) => comparePlaces(placeOf(user, sort), place, sort) > 0);
  return at < 0 ? found.length : at;
}

function readPlace(startKey: string): UserCursor | undefined {
  try {
    return storedPlace.parse(JSON.parse(startKey));
  } catch {
    return undefined;
  }
}
