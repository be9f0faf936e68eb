/** What all events of a session say of it. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { loginsIn } from '../../access/action.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { EventContext } from '../../platform/audit/event-draft.ts';
import type { Session, SessionAction } from './session-store.ts';

export function aboutSession(session: Session) {
  return {
    ...reached(session.action),
    ...by({ username: session.user, address: session.address }),
    sid: session.id,
    ...(session.mfa ? { with_mfa: 'proven' } : {}),
  };
}

export function by({ username, address }: { username: string; address: string }) {
  return { user: username, 'addr.remote': address };
}

export function reached(action: SessionAction) {
  const { resource, kind } = action;
  const address = addressOf(kind, resource);
  const [login] = loginsIn(action);
  const { proto } = factsOf(kind);
  return {
    namespace: 'default',
    server_id: resource.id,
    server_hostname: resource.name,
    server_labels: { ...resource.labels },
    resource_kind: kind,
    resource_name: resource.name,
    ...(address === '' ? {} : { server_addr: address }),
    ...(login === undefined ? {} : { login }),
    ...(proto === undefined ? {} : { proto }),
  };
}

/** Where it is dialled, for what is not behind an agent; empty for the others. */
export function addressOf(kind: Kind, { spec }: Resource): string {
  const { addressField } = factsOf(kind);
  const found = addressField === undefined ? undefined : (spec as Readonly<Record<string, unknown>>)[addressField];
  return typeof found === 'string' ? found : '';
}

export function contextOf({ id, signInId }: Pick<Session, 'id' | 'signInId'>): EventContext {
  return { sessionId: id, signInId };
}
