/** What the audit log is told of sessions with applications. */

import { appSessionEnded, appSessionStarted } from '@gatehouse/contract/kinds/app/app-events';
import { appSpec } from '@gatehouse/contract/kinds/app/app-spec';
import type { Audit } from '../../platform/audit/emit.ts';
import { contextOf } from '../../sessions/host/about-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { SessionTeller } from '../../sessions/host/session-teller.ts';

/** What all events of one session with an application say. */
export function appSessionFields(session: Session) {
  const { action, user, address, id, mfa } = session;
  const { resource } = action;
  const spec = appSpec.safeParse(resource.spec).data;
  return {
    user,
    sid: id,
    namespace: 'default',
    server_id: resource.id,
    'addr.remote': address,
    app_name: resource.name,
    app_uri: spec?.uri ?? '',
    app_public_addr: spec?.publicAddr ?? '',
    app_labels: { ...resource.labels },
    ...(mfa ? { with_mfa: 'proven' } : {}),
    ...(action.kind === 'app' && action.awsRoleArn !== undefined ? { aws_role_arn: action.awsRoleArn } : {}),
  };
}

export function appSessionTeller(audit: Audit): SessionTeller {
  return {
    async started(tx, session) {
      const fields = appSessionFields(session);
      await audit.emit(tx, appSessionStarted, { ...fields, public_addr: fields.app_public_addr }, contextOf(session));
    },
    async ended(tx, session, { message }) {
      await audit.emit(tx, appSessionEnded, { ...appSessionFields(session), reason: message }, contextOf(session));
    },
  };
}
