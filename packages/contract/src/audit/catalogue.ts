/** Every audit event by its code. Heavy with words and schemas: a screen that shows events loads it, the shell does not. */
import * as account from './account-events.ts';
import type { EventType } from './define-event.ts';
import type { EventFamily } from './event-families.ts';
import * as locks from './lock-events.ts';
import * as roles from './role-events.ts';
import * as servers from './server-events.ts';
import * as signIn from './sign-in-events.ts';
import * as users from './user-events.ts';

/** A module of a family exports its events and nothing else. */
const MODULES: Partial<Record<EventFamily, readonly object[]>> = {
  'sign-in': [signIn],
  account: [account],
  users: [users],
  roles: [roles],
  locks: [locks],
  nodes: [servers],
};

export interface CatalogueEntry extends EventType {
  family: EventFamily;
}

export const EVENT_TYPES: readonly CatalogueEntry[] = Object.entries(MODULES).flatMap(([family, modules]) =>
  modules
    .flatMap((module) => Object.values(module) as EventType[])
    .map((type) => ({ ...type, family: family as EventFamily })),
);

const BY_CODE = new Map(EVENT_TYPES.map((type) => [type.code, type]));

export function eventType(code: string): CatalogueEntry | undefined {
  return BY_CODE.get(code);
}

/** The names of the wire, each once: what a search can be narrowed to. */
export const EVENT_NAMES: readonly string[] = [...new Set(EVENT_TYPES.map(({ event }) => event))].sort();
