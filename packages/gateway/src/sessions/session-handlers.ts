/** The sessions that are open now: one's own, and others' by role; and their end. */
import { OK } from '@gatehouse/contract/ack';
import { sessionEndedByOther } from '@gatehouse/contract/audit/session-events';
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import { nodeSpec } from '@gatehouse/contract/nodes/node-spec';
import type { ActiveSession, sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { PARTICIPANT_MODES } from '@gatehouse/contract/sessions/terminal-frames';
import { CURRENT_CLUSTER } from '@gatehouse/contract/shell/clusters';
import { ActionDenied } from '../access/action-denied.ts';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import type { Audit } from '../audit/emit.ts';
import type { Handlers } from '../http/call.ts';
import { notFound } from '../std/app-error.ts';
import type { Db } from '../storage/tables.ts';
import type { SessionHost } from './host/session-host.ts';
import { mayTouch, onSession } from './host/session-rights.ts';
import { findSession, listOpenSessions, type Session } from './host/session-store.ts';

export interface SessionHandlerDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  host: SessionHost;
  clusterName: string;
}

export function sessionHandlers(deps: SessionHandlerDeps): Handlers<typeof sessionRoutes> {
  const { db, access, audit, host, clusterName } = deps;
  const requireOwn = (clusterId: string) => {
    if (clusterId !== CURRENT_CLUSTER && clusterId !== clusterName) throw notFound('cluster', clusterId);
  };
  const may = (actor: Actor, session: Session, verb: 'list' | 'delete') => mayTouch(access, actor, session, verb);

  /** What the caller may not see is not found. */
  const find = async (actor: Actor, sid: string): Promise<Session> => {
    const session = host.get(sid)?.session ?? (await findSession(db, clusterName, sid));
    if (!session || session.ended || !may(actor, session, 'list')) throw notFound('session', sid);
    return session;
  };

  return {
    async list({ actor, params }) {
      requireOwn(params.clusterId);
      const open = (await listOpenSessions(db, clusterName)).filter((session) => may(actor, session, 'list'));
      const shown = [];
      for (const session of open) shown.push(await toActive(deps, actor, session));
      return { sessions: shown };
    },

    async get({ actor, params }) {
      requireOwn(params.clusterId);
      return toActive(deps, actor, await find(actor, params.sid));
    },

    async end({ actor, params }) {
      requireOwn(params.clusterId);
      const session = await find(actor, params.sid);
      if (!may(actor, session, 'delete')) throw new ActionDenied(onSession(session, 'delete'));
      const { id, user, action } = session;
      if (user === actor.username) {
        await host.end(id, { cause: 'closed', message: 'you ended it' });
        return OK;
      }
      const fields = {
        user: actor.username,
        sid: id,
        name: user,
        server_id: action.resource.id,
        server_hostname: action.resource.name,
      };
      await db
        .transaction()
        .execute((tx) => audit.emit(tx, sessionEndedByOther, fields, { sessionId: id, signInId: actor.signInId }));
      await host.end(id, { cause: 'ended_by', message: `${actor.username} ended it` });
      return OK;
    },
  };
}

/** As the wire has it, with the ways the one who asks may join it. */
export async function toActive(
  { access, host }: Pick<SessionHandlerDeps, 'access' | 'host'>,
  actor: Actor,
  session: Session,
): Promise<ActiveSession> {
  const { action, size } = session;
  const { resource } = action;
  const hosted = host.get(session.id);
  const time = (ms: number) => new Date(ms).toISOString();
  const spec = nodeSpec.safeParse(resource.spec).data;
  const addr = spec?.type === 'openssh' ? spec.addr : '';
  const owner = session.user === actor.username ? actor : await host.owner(session);
  const joined = { kind: KINDS[action.kind].sessionKind, ownerRoles: owner?.roles ?? [] };
  const mayJoin = (mode: string) => access.decide(actor, { type: 'join', session: joined, mode }).allowed;
  const isNode = action.kind === 'node';
  return {
    kind: KINDS[action.kind].sessionKind,
    id: session.id,
    namespace: 'default',
    parties: [...(hosted?.participants.values() ?? [])].map((who) => ({
      id: who.id,
      remote_addr: who.address,
      user: who.actor.username,
      server_id: resource.id,
      last_active: time(who.lastActive),
    })),
    terminal_params: { w: size.cols, h: size.rows },
    login: isNode ? action.login : '',
    created: time(session.created),
    last_active: time(hosted?.lastActive ?? session.seen),
    server_id: isNode ? resource.id : '',
    server_hostname: isNode ? resource.name : '',
    server_hostport: Number(addr.slice(addr.lastIndexOf(':') + 1)) || 0,
    server_addr: addr,
    cluster_name: session.cluster,
    kubernetes_cluster_name: action.kind === 'kube' ? resource.name : '',
    desktop_name: action.kind === 'desktop' ? resource.name : '',
    database_name: action.kind === 'db' ? resource.name : '',
    app_name: action.kind === 'app' ? resource.name : '',
    owner: session.user,
    participantModes:
      session.user === actor.username ? ['observer', 'peer'] : PARTICIPANT_MODES.filter((mode) => mayJoin(mode)),
  };
}
