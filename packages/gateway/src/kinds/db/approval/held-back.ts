/** Where a role lets nobody write without an approval, only doors that can hold statements back let its people in. */
import { accessDenied } from '@gatehouse/contract/audit/session-events';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Resource } from '../../../inventory/resource-store.ts';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import type { Actor, Who } from '../../../platform/http/actor.ts';
import { mustAsk } from '../must-ask.ts';

/** What holds back whatever writes: the server itself, in transactions that cannot; the engine, which passes on only what is known to read; or nobody for certain. */
const WALLS: Readonly<Record<DbProtocol, 'server' | 'engine' | undefined>> = {
  postgres: 'server',
  mysql: 'server',
  mongodb: 'engine',
  redis: 'engine',
  sqlserver: undefined,
};

const ELSEWHERE = "a role of yours lets you write here only with somebody's approval: use the workbench in the console";
const NOWHERE =
  "a role of yours lets you write only with somebody's approval, and here nothing could be held back until then: this database cannot be opened with it";

/** Whether what is refused there can be asked for. */
export function canBeAsked(protocol: DbProtocol): boolean {
  return WALLS[protocol] === 'server';
}

interface Door {
  protocol: DbProtocol;
  holdsBack: boolean;
}

/** Undefined where they may come in. */
export function whyNotHere(access: Pick<AccessControl, 'of'>, actor: Actor, door: Door): string | undefined {
  return mustAsk(access, actor) ? whyClosed(door) : undefined;
}

/** To who must ask. Elsewhere reading only is a seat belt that can be taken off. */
export function whyClosed({ protocol, holdsBack }: Door): string | undefined {
  if (WALLS[protocol] === undefined) return NOWHERE;
  return holdsBack ? undefined : ELSEWHERE;
}

interface Tried {
  caller: Who;
  address: string;
  resource: Resource;
}

export async function tellHeld(
  events: Pick<EventStream, 'write'>,
  { caller, address, resource }: Tried,
  reason: string,
): Promise<void> {
  const fields = { user: caller.username, 'addr.remote': address, reason };
  const about = { resource_kind: resource.kind, resource_name: resource.name };
  await events.write(accessDenied, { ...fields, ...about }, { signInId: caller.signInId });
}
