/** What the audit log is told of what runs in pods, and of ports that lead there. */
import { sessionEnded, sessionStarted } from '@gatehouse/contract/audit/session-events';
import { portForwarded, portForwardFailed } from '@gatehouse/contract/kinds/node/ssh-events';
import type { Audit } from '../../platform/audit/emit.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import { withinRequest } from '../../platform/audit/request-scope.ts';
import { aboutSession, contextOf } from '../../sessions/host/about-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { SessionFacts, SessionTeller } from '../../sessions/host/session-teller.ts';
import { execFactsOf } from './exec-action.ts';
import type { KubeEntered } from './kube-calls.ts';

function factsOf(session: Session): SessionFacts {
  const { action, user } = session;
  if (action.kind !== 'kube') return {};
  const exec = execFactsOf(session);
  return {
    kubernetes_cluster: action.resource.name,
    kubernetes_users: [action.user ?? user],
    kubernetes_groups: [...action.groups],
    kubernetes_labels: { ...action.resource.labels },
    ...(exec ? { kubernetes_pod_name: exec.pod, kubernetes_pod_namespace: exec.namespace } : {}),
    ...(exec?.container ? { kubernetes_container_name: exec.container } : {}),
  };
}

export function kubeSessionTeller(audit: Audit): SessionTeller {
  const common = (session: Session) => ({
    ...aboutSession(session),
    ...factsOf(session),
    interactive: session.interactive,
    session_recording: session.recorded ? 'gateway' : 'off',
    ...(session.command === undefined ? {} : { initial_command: [session.command] }),
  });
  return {
    about: factsOf,
    async started(tx, session) {
      const { cols, rows } = session.size;
      const size = session.interactive ? { size: `${cols}:${rows}` } : {};
      await audit.emit(tx, sessionStarted, { ...common(session), ...size }, contextOf(session));
    },
    async ended(tx, session, { message, now }) {
      const fields = {
        ...common(session),
        enhanced_recording: false,
        participants: session.participants,
        session_start: new Date(session.created).toISOString(),
        session_stop: new Date(now).toISOString(),
        reason: message,
      };
      await audit.emit(tx, sessionEnded, fields, contextOf(session));
    },
  };
}

/** One connection through a forwarded port; `failure` in the cluster's words. */
export async function tellForward(
  events: Pick<EventStream, 'write'>,
  { use, request, requestId }: KubeEntered,
  { port, failure }: { port: number; failure: string | undefined },
): Promise<void> {
  const { resource } = use.cluster;
  const fields = {
    user: use.caller.username,
    'addr.remote': use.address,
    proto: 'kube',
    server_id: resource.id,
    server_hostname: resource.name,
    kubernetes_cluster: resource.name,
    kubernetes_users: [use.who.user],
    kubernetes_groups: [...use.who.groups],
    kubernetes_labels: { ...resource.labels },
    kubernetes_pod_name: request.name,
    kubernetes_pod_namespace: request.namespace,
    addr: `${request.name}.${request.namespace}:${port}`,
    success: failure === undefined,
    ...(failure === undefined ? {} : { error: failure }),
  };
  const event = failure === undefined ? portForwarded : portForwardFailed;
  await withinRequest(requestId, () => events.write(event, fields, { signInId: use.caller.signInId }, 'soon'));
}
