/** Every audit event by its code. */
import * as account from './account-events.ts';
import type { EventType } from './define-event.ts';
import * as locks from './lock-events.ts';
import * as roles from './role-events.ts';
import * as servers from './server-events.ts';
import * as signIn from './sign-in-events.ts';
import * as users from './user-events.ts';

export const EVENT_TYPES: readonly EventType[] = [account, locks, roles, servers, signIn, users].flatMap(
  (family) => Object.values(family) as unknown as EventType[],
);

const BY_CODE = new Map(EVENT_TYPES.map((type) => [type.code, type]));

export function eventType(code: string): EventType | undefined {
  return BY_CODE.get(code);
}

export const UNKNOWN_EVENT_LABEL = 'Unknown';

/** The line a reviewer reads; an event that does not have its fields is shown by its label instead of failing the list. */
export function tellEvent(code: string, data: unknown): string {
  const type = BY_CODE.get(code);
  if (!type) return UNKNOWN_EVENT_LABEL;
  const fields = type.fields.safeParse(data);
  return fields.success ? type.tell(fields.data) : type.label;
}
