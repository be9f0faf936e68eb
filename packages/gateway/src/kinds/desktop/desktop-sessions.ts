/** The sessions with desktops that this gateway serves: opened, and found again. */
import type { DesktopRequest } from '@gatehouse/contract/sessions/desktop-frames';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { requireStore } from '../../platform/change-feed/lost-store.ts';
import type { Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import type { Reach } from '../../reach/reach.ts';
import type { DesktopRecorders } from '../../sessions/desktop/desktop-recorder.ts';
import { whyNot } from '../../sessions/host/admit.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import { findToJoin, type Joiner, requireJoin } from '../../sessions/host/require-join.ts';
import { createSameRequests } from '../../sessions/host/same-request.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import { findRequested, findSession, type Session, type SessionEnd } from '../../sessions/host/session-store.ts';
import { openRecording } from '../../sessions/open-recording.ts';
import type { DesktopCertificates } from './desktop-certificates.ts';
import type { DesktopSecrets } from './desktop-secrets.ts';
import { DesktopSession, type Latecomers } from './desktop-session.ts';
import { DesktopFailure, type DesktopLink, type DesktopTerms } from './engine/desktop-link.ts';
import { openRdp } from './engine/rdp/open-rdp.ts';
import { NO_PASSWORD, openVnc } from './engine/rfb/open-vnc.ts';
import type { TransferStore } from './folders/transfer/transfer-drive.ts';
import {
  desktopServerName,
  desktopTarget,
  findSeenDesktop,
  type ListedDesktop,
  type SeenDesktopDeps,
  vncTrust,
} from './listed-desktop.ts';
import { type DesktopLogin, readLogin } from './login-name.ts';
import { tellClipboard, tellFileUse, tellRefusedByDesktop, tellShared, tellTakenOver } from './session-audit.ts';
import { whyOver } from './why-over.ts';

/** For who was away when it ended. */
const LINGER_MS = 60_000;
const WARN_BEFORE_MS = 60_000;

export interface DesktopSessionsDeps extends SeenDesktopDeps {
  db: Db;
  access: AccessControl;
  host: SessionHost;
  reach: Pick<Reach, 'dial'>;
  agents: Pick<AgentConnections, 'isConnected'>;
  secrets: DesktopSecrets;
  certificates: DesktopCertificates;
  /** Undefined: nothing is recorded. */
  recorder: DesktopRecorders | undefined;
  latecomers(link: DesktopLink): Latecomers | undefined;
  /** Where transfer folders are kept. Undefined: there are none. */
  transfers: Omit<TransferStore, 'failed'> | undefined;
  events: Pick<EventStream, 'write'>;
  feed: Pick<ChangeFeed, 'silentMs'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface OpenDesktop {
  caller: Caller;
  address: string;
  requestId: string;
  wanted: Extract<DesktopRequest, { type: 'open' }>;
  /** What can be drawn there. Undefined: whatever there is. */
  draws?: DesktopLink['protocol'];
  proveFactor(): Promise<void>;
}

export type FoundDesktop =
  | { desktop: DesktopSession; mode: ParticipantMode; mfa: boolean }
  | { desktop?: undefined; session: Session; ended: SessionEnd };

export interface DesktopSessions {
  /** Throws why not: `AppError`, or a `DesktopFailure` of the host. */
  open(wanted: OpenDesktop): Promise<DesktopSession>;
  /** Who may not know of it hears that it is not found. */
  find(joiner: Joiner, sid: string, mode: ParticipantMode | undefined): Promise<FoundDesktop>;
  get(sid: string): DesktopSession | undefined;
}

/** No password is stored for it, and none was typed. */
export class PasswordWanted extends Error {}

function passwordWanted({ wanted: { login } }: OpenDesktop, { spec, resource }: ListedDesktop): PasswordWanted {
  const none = `no password of '${login}' is stored for '${resource.name}'`;
  return new PasswordWanted(
    spec.askPassword
      ? `${none}: type it to connect`
      : `${none}, and none may be typed: ask an administrator to store it`,
  );
}

/** Before the host is dialled: one that lets them in would throw out whoever was there, for nothing. */
function requireDrawn({ draws }: OpenDesktop, { spec, resource }: ListedDesktop): void {
  if (draws === undefined || spec.protocol === draws) return;
  const [theirs, ours] = [spec.protocol, draws].map((name) => name.toUpperCase());
  throw new AppError(
    'bad_request',
    `'${resource.name}' is reached by ${theirs}, and the gateway draws only ${ours} for clients like this one: connect in the console`,
  );
}

interface Opening {
  listed: ListedDesktop;
  login: DesktopLogin;
  password: UsedPassword;
}

interface UsedPassword {
  text: string;
  /** And not typed. */
  isStored: boolean;
}

const NO_TEXT: UsedPassword = { text: '', isStored: false };

export function createDesktopSessions(deps: DesktopSessionsDeps): DesktopSessions {
  const { db, access, host, clusterName, log, recorder, events } = deps;
  const sessions = new Map<string, DesktopSession>();
  const joinDeps = { access, host, requireStore: () => requireStore(deps.feed) };
  const same = createSameRequests<DesktopSession>(async ({ hosted }, caller) =>
    requireJoin(joinDeps, hosted.session, await caller.now(), 'peer'),
  );

  const optionsOf = (hosted: HostedSession) => hosted.options;

  async function serve(
    hosted: HostedSession,
    { spec: { protocol }, dialledBy }: ListedDesktop,
  ): Promise<DesktopSession> {
    const recording = await openRecording(recorder, hosted, { log });
    const told = (telling: Promise<void>) =>
      void telling.catch((error: unknown) =>
        log.error({ error, sessionId: hosted.id }, 'what passed beside the picture cannot be told'),
      );
    const desktop = new DesktopSession({
      hosted,
      protocol,
      recorder: recording,
      latecomers: deps.latecomers,
      couldJoin: () => host.couldJoin(hosted),
      mayShareClipboard: () => optionsOf(hosted).clipboard,
      folders: {
        shared: (folder, error) => told(tellShared(events, hosted.session, folder, error)),
        used: (folder, use) => told(tellFileUse(events, hosted.session, folder, use)),
      },
      transfers: deps.transfers && {
        ...deps.transfers,
        failed: (error) => log.error({ error, sessionId: hosted.id }, 'a transfer folder failed'),
      },
      onClipboard: (transfer) => told(tellClipboard(events, hosted.session, transfer)),
      whyOver: whyOver(
        { protocol, session: hosted.session },
        {
          others: () => sessions.values(),
          now: deps.now,
          isConnected: (agent) => deps.agents.isConnected(agent),
          dialledBy,
          onTaken: (came) => told(tellTakenOver(events, came, hosted.session)),
        },
      ),
    });
    sessions.set(hosted.id, desktop);
    whenAborted(hosted.signal, () => void setTimeout(() => sessions.delete(hosted.id), LINGER_MS).unref());
    return desktop;
  }

  /** The very desktop that was decided about, as it was then. */
  async function dial({ wanted }: OpenDesktop, { listed, login, password }: Opening, hosted: HostedSession) {
    const { certificates } = deps;
    const { user, domain } = login;
    const { clipboard, directorySharing } = optionsOf(hosted);
    const { width, height, scale, keyboard } = wanted;
    let shown: { leaf: Buffer; isNla: boolean } | undefined;
    const { session } = hosted;
    const { isStored } = password;
    const by = { user: session.user, signInId: session.signInId, address: session.address, login, isStored };
    const terms: DesktopTerms = {
      ...{ user, domain, password: password.text, width: width & ~1, height, scale, keyboard, clipboard },
      drives: directorySharing,
      serverName: desktopServerName(listed),
      async checkCertificate(leaf, chain, isNla) {
        shown = { leaf, isNla };
        return await certificates.check(listed, leaf, chain, { ...by, isNla });
      },
    };
    const who = { user: session.user, session: hosted.id };
    const stream = await deps.reach.dial(desktopTarget(listed), { who, signal: hosted.signal });
    if (listed.spec.protocol === 'vnc') return await openVnc(stream, { ...terms, ...vncTrust(listed) }, hosted.signal);
    const link = await openRdp(stream, terms, hosted.signal);
    try {
      if (shown) await certificates.signedIn(listed, shown.leaf, { ...by, isNla: shown.isNla });
    } catch (error) {
      // Signed in, and nobody's: it would stay so for as long as the host likes.
      link.close();
      throw error;
    }
    return link;
  }

  async function passwordFor(opened: OpenDesktop, listed: ListedDesktop, login: DesktopLogin): Promise<UsedPassword> {
    const stored = await deps.secrets.of(listed, login);
    const { password } = opened.wanted;
    if (stored !== undefined) return { text: stored, isStored: true };
    if (password !== undefined && listed.spec.askPassword) return { text: password, isStored: false };
    // It may let in whoever comes: only the host can say.
    if (listed.spec.protocol === 'vnc' && vncTrust(listed).mayBePlain) return NO_TEXT;
    throw passwordWanted(opened, listed);
  }

  async function start(opened: OpenDesktop): Promise<DesktopSession> {
    const { caller, address, requestId, wanted, proveFactor } = opened;
    const actor = await caller.now();
    const listed = await findSeenDesktop(deps, actor, wanted.desktop);
    const login = readLogin(wanted.login, listed);
    const action = {
      type: 'connect' as const,
      kind: 'desktop' as const,
      resource: listed.resource,
      login: login.name,
    };
    // Who may not connect is refused by the host below, and hears nothing of what is stored.
    const isAllowed = !whyNot(access, actor, action);
    if (isAllowed) requireDrawn(opened, listed);
    const password = isAllowed ? await passwordFor(opened, listed, login) : NO_TEXT;
    const hosted = await host.open({
      ...{ caller, action, address, requestId, proveFactor },
      call: 'desktop',
      request: wanted.request,
      size: { cols: wanted.width, rows: wanted.height },
      agent: undefined,
      recorded: (recorder?.isOn ?? false) && sessionOptions(access.of(actor)).recordDesktop,
    });
    const opening = { listed, login, password };
    try {
      const desktop = await serve(hosted, listed);
      hosted.signal.throwIfAborted();
      if (hosted.flow === 'waiting') void dialWhenBegun(desktop, opened, opening);
      else desktop.link = await dial(opened, opening, hosted);
      return desktop;
    } catch (error) {
      const before = hosted.end;
      if (!before) await fail(hosted, error);
      sessions.delete(hosted.id);
      // Ended while it was dialled: that is what has to be told.
      if (before) throw new AppError('denied', before.message);
      throw error instanceof DesktopFailure && error.code === NO_PASSWORD ? passwordWanted(opened, listed) : error;
    }
  }

  async function fail(hosted: HostedSession, given: unknown): Promise<void> {
    const error = storeFailure(given) ?? given;
    const isKnown = error instanceof AppError || error instanceof DesktopFailure;
    const message = isKnown ? error.message : 'the gateway failed; its log says why';
    if (!isKnown) log.error({ error, sessionId: hosted.id }, 'a desktop cannot be opened');
    await tellRefusedByDesktop(events, hosted.session, message).catch((failure: unknown) =>
      log.error({ error: failure, sessionId: hosted.id }, 'a refused desktop cannot be told'),
    );
    hosted.finish({ cause: 'failed', message });
  }

  /** Its people are there before the host is: what goes wrong is told to them as its end. */
  async function dialWhenBegun(desktop: DesktopSession, opened: OpenDesktop, opening: Opening): Promise<void> {
    const { hosted } = desktop;
    await hosted.begun;
    if (hosted.end) return;
    try {
      desktop.link = await dial(opened, opening, hosted);
    } catch (error) {
      if (!hosted.end) await fail(hosted, error);
    }
  }

  /** Asked once more because the answer was lost: the one that was opened. */
  async function findOrStart(opened: OpenDesktop): Promise<DesktopSession> {
    const { caller, wanted } = opened;
    const before = await findRequested(db, {
      ...{ cluster: clusterName, user: caller.username },
      request: wanted.request,
    });
    if (!before) return start(opened);
    const known = sessions.get(before.id);
    if (!known)
      throw new AppError(
        'conflict',
        `this was opened before${before.ended ? `, and is over: ${before.ended.message}` : ''}`,
      );
    await requireJoin(joinDeps, before, await caller.now(), 'peer');
    return known;
  }

  host.onTick(() => {
    for (const desktop of sessions.values()) {
      const soon = desktop.hosted.end ? undefined : desktop.hosted.soon(WARN_BEFORE_MS);
      if (soon) desktop.notice(soon.kind, soon.text);
    }
  });

  return {
    open: (opened) => same(opened.caller, opened.wanted.request, () => findOrStart(opened)),

    async find(joiner, sid, wantedMode) {
      const look = async () => {
        const found = sessions.get(sid)?.hosted.session ?? (await findSession(db, clusterName, sid));
        return found?.action.kind === 'desktop' ? found : undefined;
      };
      const { session, mode, mfa } = await findToJoin(joinDeps, joiner, { sid, mode: wantedMode, look });
      const known = sessions.get(sid);
      if (known && !known.hosted.end) return { desktop: known, mode, mfa };
      const ended = known?.hosted.end ?? session.ended;
      if (ended) return { session, ended };
      throw new AppError('unavailable', 'another gateway of this cluster serves this session: open it there');
    },

    get: (sid) => sessions.get(sid),
  };
}
