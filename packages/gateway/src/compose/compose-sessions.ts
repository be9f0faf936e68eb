/** Puts together what sessions are made of: the host that decides and accounts, the terminals, and the sockets people come in by. */
import type { FastifyInstance } from 'fastify';
import type { AccessControl } from '../access/create-access.ts';
import { serveLiveSessionsSocket } from '../doors/live-sessions/live-sessions-socket.ts';
import { serveCompatSocket } from '../doors/terminal/compat/compat-socket.ts';
import { serveTerminalSocket, type TerminalSocketDeps } from '../doors/terminal/terminal-socket.ts';
import type { Denials } from '../identity/explain/record-denials.ts';
import type { Identity } from '../identity/identity.ts';
import type { Sockets } from '../identity/sockets/sockets.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { EventStream } from '../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { Actor, Caller } from '../platform/http/actor.ts';
import type { FeatureHandlers } from '../platform/http/bind-api.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { HostedSession } from '../sessions/host/hosted-session.ts';
import type { Owners } from '../sessions/host/owners.ts';
import { createSessionAudit } from '../sessions/host/session-audit.ts';
import { createSessionHost, type SessionHost } from '../sessions/host/session-host.ts';
import type { Session } from '../sessions/host/session-store.ts';
import { listActive, toActive } from '../sessions/live/active-sessions.ts';
import { createOpenSessions } from '../sessions/live/open-sessions.ts';
import { createPictures, type Pictures } from '../sessions/live/pictures.ts';
import type { ShownSession } from '../sessions/live/session-row.ts';
import { createSessionScreens } from '../sessions/screens/session-screens.ts';
import { sessionHandlers } from '../sessions/session-handlers.ts';
import type { TerminalRecorders } from '../sessions/terminal/terminal-recorder.ts';
import { createTerminals, type Terminals } from '../sessions/terminal/terminals.ts';
import type { Servers } from './compose-servers.ts';

export interface ComposeSessionsDeps {
  db: Db;
  feed: ChangeFeed;
  access: AccessControl;
  owners: Owners;
  audit: Audit;
  /** Where what sessions do is told. */
  events: Pick<EventStream, 'settled'>;
  denials: Denials;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain' | 'onSignInEnd'>;
  agents: AgentConnections;
  servers: Pick<Servers, 'kinds'>;
  /** Undefined: nothing is recorded, and sessions say so. */
  recorder: TerminalRecorders | undefined;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Sessions {
  handlers: FeatureHandlers<'sessions'>;
  host: SessionHost;
  terminals: Terminals;
  /** Those that are open, as far as somebody may know of them. */
  active(actor: Actor): Promise<ShownSession[]>;
  showDesktops: Pictures['showDesktops'];
  /** Call it before the application is ready. */
  serve(sockets: Sockets, inner: Pick<TerminalSocketDeps, 'openExec'>): void;
  /** Opens nothing more, and lets go of what agents hold: the next gateway finds it again. */
  letGo(): Promise<void>;
  /** Ends what is left; resolves when that is written. */
  close(): Promise<void>;
}

export function composeSessions(app: FastifyInstance, parts: ComposeSessionsDeps): Sessions {
  const { agents, log } = parts;
  const { kinds } = parts.servers;
  const host = createSessionHost({
    ...parts,
    kinds,
    signIns: parts.identity,
    audit: createSessionAudit(parts.audit, kinds),
  });
  const open = createOpenSessions({ ...parts, host });
  const screens = createSessionScreens({ log });
  const terminals = createTerminals({ ...parts, kinds, agents, host, screens });
  const pictures = createPictures({ terminal: terminals.get, screens, log });
  app.addHook('onReady', async () => {
    await terminals
      .adoptOrphans()
      .catch((error: unknown) => log.error({ error }, 'sessions of before cannot be taken over'));
  });
  const stop = (hosted: HostedSession) =>
    hosted.finish({ cause: 'gateway_stopping', message: 'the gateway is closing' });
  return {
    host,
    terminals,
    active: (actor) => listActive({ ...parts, host, open }, actor),
    showDesktops: pictures.showDesktops,
    async letGo() {
      terminals.close();
      open.close();
      pictures.close();
      for (const hosted of host.all()) {
        hosted.released = hosted.session.agent !== undefined;
        if (hosted.released) stop(hosted);
      }
    },
    async close() {
      host.all().forEach(stop);
      await screens.close();
      await host.close();
      await parts.recorder?.settled();
    },
    handlers: { sessions: sessionHandlers({ ...parts, host, open }) },
    serve(sockets, inner) {
      serveTerminalSocket(sockets, { ...parts, ...inner, host, terminals });
      serveLiveSessionsSocket(sockets, { ...parts, host, open, pictures });
      const describe = async (caller: Caller, session: Session) =>
        toActive({ ...parts, host }, await caller.now(), session);
      serveCompatSocket(sockets, { ...parts, host, terminals, describe });
    },
  };
}
