/** The keys of lists, as they are written under them and in the list of all keys: both read them here. */

export const LIST_KEYS = {
  move: ['J', 'K'],
  act: ['↵'],
  login: ['L'],
  details: ['Space'],
  select: ['X'],
  create: ['N'],
  quick: ['@'],
  search: ['/'],
  all: ['?'],
} as const satisfies Record<string, readonly string[]>;
