/** What all events of a session say of it. */
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
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
  const { resource } = action;
  const spec = nodeSpec.safeParse(resource.spec).data;
  return {
    namespace: 'default',
    server_id: resource.id,
    server_hostname: resource.name,
    server_labels: { ...resource.labels },
    ...(spec?.type === 'openssh' ? { server_addr: spec.addr } : {}),
    ...(action.kind === 'node' ? { login: action.login, proto: 'ssh' } : {}),
  };
}

export function contextOf({ id, signInId }: Pick<Session, 'id' | 'signInId'>): EventContext {
  return { sessionId: id, signInId };
}
