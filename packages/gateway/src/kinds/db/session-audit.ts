/** What the audit log is told of sessions with databases. */
import { dbSessionDenied, dbSessionEnded, dbSessionStarted } from '@gatehouse/contract/kinds/db/db-events';
import { type DbSpec, dbSpec } from '@gatehouse/contract/kinds/db/db-spec';
import type { Audit } from '../../platform/audit/emit.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import { contextOf } from '../../sessions/host/about-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import type { SessionTeller } from '../../sessions/host/session-teller.ts';

/** Read once for the beginning, the statements and the end of a session. */
const specs = new WeakMap<object, DbSpec | undefined>();

function specOf({ spec }: Session['action']['resource']): DbSpec | undefined {
  if (typeof spec !== 'object' || spec === null) return undefined;
  if (!specs.has(spec)) specs.set(spec, dbSpec.safeParse(spec).data);
  return specs.get(spec);
}

/** What all events of one session with a database say. */
export function dbSessionFields({ action, user, id, mfa }: Session) {
  const { resource } = action;
  const spec = specOf(resource);
  const isDb = action.kind === 'db';
  return {
    user,
    sid: id,
    ...(mfa ? { with_mfa: 'proven' } : {}),
    db_service: resource.name,
    db_protocol: spec?.protocol ?? '',
    db_uri: spec?.uri ?? '',
    db_labels: { ...resource.labels },
    ...(isDb ? { db_user: action.dbUser } : {}),
    ...(isDb && action.dbName !== undefined ? { db_name: action.dbName } : {}),
    ...(spec?.aws.region ? { db_aws_region: spec.aws.region } : {}),
    ...(spec?.aws.clusterId ? { db_aws_redshift_cluster_id: spec.aws.clusterId } : {}),
    ...(spec?.gcp.project ? { db_gcp_project_id: spec.gcp.project, db_gcp_instance_id: spec.gcp.instance } : {}),
  };
}

function startFields(session: Session) {
  const { id: server_id } = session.action.resource;
  return { ...dbSessionFields(session), namespace: 'default', server_id, 'addr.remote': session.address };
}

export function dbSessionTeller(audit: Audit): SessionTeller {
  return {
    async started(tx, session) {
      await audit.emit(tx, dbSessionStarted, { ...startFields(session), success: true }, contextOf(session));
    },
    async ended(tx, session) {
      const fields = { ...dbSessionFields(session), session_recording: session.recorded ? 'gateway' : 'off' };
      await audit.emit(tx, dbSessionEnded, fields, contextOf(session));
    },
  };
}

/** The gateway let somebody in, and the database did not. */
export async function tellRefusedByDb(
  events: Pick<EventStream, 'write'>,
  session: Session,
  error: string,
): Promise<void> {
  await events.write(dbSessionDenied, { ...startFields(session), success: false, error }, contextOf(session));
}
