/** The terminals this gateway serves: opened, found again, and taken over from gateways that are no more. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AccessControl } from '../../access/create-access.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { requireStore } from '../../platform/change-feed/lost-store.ts';
import type { Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { createRounds } from '../../platform/std/rounds.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import { connectAs } from '../host/as-login.ts';
import type { HostedSession } from '../host/hosted-session.ts';
import { findToJoin, type Joiner, requireJoin, requireStill } from '../host/require-join.ts';
import { createSameRequests } from '../host/same-request.ts';
import type { SessionHost } from '../host/session-host.ts';
import type { SessionPart } from '../host/session-parts.ts';
import { findRequested, findSession, listOpenOf, type Session, type SessionEnd } from '../host/session-store.ts';
import { shown } from '../host/shown-command.ts';
import { noteRecording, openRecording } from '../open-recording.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import type { ShellProgram } from './shell.ts';
import type { InnerShell, ShellKinds, ShellRequest, Shells } from './shells.ts';
import { Terminal } from './terminal.ts';
import type { TerminalRecorders } from './terminal-recorder.ts';

/** For who was away when a shell ended: its last words are still to be had. */
const LINGER_MS = 60_000;
const LOOK_FOR_ORPHANS_MS = 10_000;
const WARN_BEFORE_MS = 60_000;
const AGENT_AWAITED_MS = 15_000;
const ARRIVING_MS = 50;
const ADOPT_AGAIN_MS = 1_000;
const ADOPTED_TOGETHER = 500;
const RESUMED_AT_ONCE = 8;

export interface TerminalsDeps {
  db: Db;
  access: AccessControl;
  host: SessionHost;
  agents: AgentConnections;
  kinds: ShellKinds;
  recorder: TerminalRecorders | undefined;
  screens: SessionScreens;
  feed: Pick<ChangeFeed, 'silentMs'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface OpenTerminal {
  caller: Caller;
  address: string;
  requestId: string;
  target: NamedTarget | InnerShell;
  size: { cols: number; rows: number };
  request: string;
  proveFactor(): Promise<void>;
  /** What it takes beside the right to connect. */
  part?: SessionPart;
  /** The session is registered; nothing is dialled yet. */
  onSession?(session: Session): Promise<void>;
}

/** A shell of a resource itself. */
export interface NamedTarget {
  kind: Kind;
  program?: ShellProgram;
  /** What people call it. */
  resource: string;
  /** Whom to become there. */
  login: string;
}

export interface Terminals {
  open(wanted: OpenTerminal): Promise<Terminal>;
  /** What is over and was forgotten is told by its end. Who may not know of it hears that it is not found. */
  find(joiner: Joiner, sid: string, mode: ParticipantMode | undefined): Promise<FoundTerminal>;
  /** Waits until there is something to come into; throws where they may not any more by then. */
  whenReady(found: InTerminal, caller: Caller): Promise<void>;
  /** Those that this gateway serves. The caller has decided who may know of it. */
  get(sid: string): Terminal | undefined;
  /** Takes over what other processes left. */
  adoptOrphans(): Promise<void>;
  close(): void;
}

export interface InTerminal {
  terminal: Terminal;
  mode: ParticipantMode;
  mfa: boolean;
}

export type FoundTerminal = InTerminal | { terminal?: undefined; session: Session; ended: SessionEnd };

export function createTerminals(deps: TerminalsDeps): Terminals {
  const { db, access, host, clusterName, log, now, recorder, agents, kinds, screens } = deps;
  const terminals = new Map<string, Terminal>();
  const joinDeps = { access, host, requireStore: () => requireStore(deps.feed) };
  const same = createSameRequests<Terminal>(async ({ hosted }, caller) =>
    requireJoin(joinDeps, hosted.session, await caller.now(), 'peer'),
  );
  let lastLook = now();

  const forgetTerminal = (sid: string) => {
    terminals.delete(sid);
    screens.forget(sid);
  };

  const serve = async (hosted: HostedSession): Promise<Terminal> => {
    const recording = await openRecording(recorder, hosted, { options: { input: hosted.options.recordInput }, log });
    const terminal = new Terminal({ hosted, recorder: recording, couldJoin: () => host.couldJoin(hosted), screens });
    terminals.set(hosted.id, terminal);
    whenAborted(hosted.signal, () =>
      setTimeout(() => forgetTerminal(hosted.id), hosted.released ? 0 : LINGER_MS).unref(),
    );
    return terminal;
  };

  const requireShells = (kind: Kind) => {
    const { shells } = kinds[kind];
    if (!shells) throw new AppError('not_available', `there are no terminals on ${factsOf(kind).noun}s`);
    return shells;
  };
  const shellsOf = ({ session: { action } }: HostedSession) => requireShells(action.kind);

  const requestOf = (hosted: HostedSession, terminal: Terminal): ShellRequest => {
    const { session, signal } = hosted;
    return {
      session: session.id,
      user: session.user,
      signInId: session.signInId,
      action: session.action,
      size: session.size,
      events: terminal.events,
      graceMs: hosted.graceMs('lost'),
      signal,
    };
  };

  async function targetOf({ caller, target }: OpenTerminal): Promise<InnerShell & { agent: string | undefined }> {
    if (!('kind' in target)) return { ...target, agent: undefined };
    const { kind, login } = target;
    const resource = await kinds[kind].find(await caller.now(), target.resource);
    const shells = requireShells(kind);
    const action = connectAs(kind, resource, login);
    const { program } = target;
    const open = program ? (request: ShellRequest) => shells.open({ ...request, program }) : shells.open;
    return { action, command: program?.command && shown(program.command), agent: shells.agentOf(resource), open };
  }

  async function start(wanted: OpenTerminal): Promise<Terminal> {
    const { caller, address, requestId, size, request, proveFactor } = wanted;
    const { action, command, agent, open } = await targetOf(wanted);
    const hosted = await host.open({
      ...{ caller, action, address, requestId, request, size, agent, command, proveFactor },
      call: 'terminal',
      recorded: recorder?.isOn ?? false,
      noted: noteRecording(recorder),
      ...(wanted.part ? { part: wanted.part } : {}),
    });
    try {
      await wanted.onSession?.(hosted.session);
      const terminal = await serve(hosted);
      // Its people may have left while the recording was opened: then nothing is dialled for them.
      hosted.signal.throwIfAborted();
      if (hosted.flow === 'waiting') void dialWhenBegun(terminal, open);
      else terminal.holder = await open(requestOf(hosted, terminal));
      return terminal;
    } catch (error) {
      const before = hosted.end;
      if (!before) fail(hosted, error);
      forgetTerminal(hosted.id);
      // Ended while it was dialled: that is what has to be told.
      throw before ? new AppError('denied', before.message) : error;
    }
  }

  function fail(hosted: HostedSession, given: unknown): void {
    const error = storeFailure(given) ?? given;
    const message = error instanceof AppError ? error.message : 'the gateway failed; its log says why';
    if (!(error instanceof AppError)) log.error({ error, sessionId: hosted.id }, 'a terminal cannot be opened');
    hosted.finish({ cause: 'failed', message });
  }

  /** Not for ever: then dialling says what is wrong. */
  async function whenConnected({ session: { agent }, signal }: HostedSession): Promise<void> {
    if (agent === undefined || agents.isConnected(agent)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = agents.onConnected((id) => id === agent && resolve());
    const timer = setTimeout(resolve, AGENT_AWAITED_MS);
    const forgetEnd = whenAborted(signal, resolve);
    await promise;
    stop();
    forgetEnd();
    clearTimeout(timer);
  }

  /** Its people are there before its shell is: what goes wrong is told to them as its end. */
  async function dialWhenBegun(terminal: Terminal, open: Shells['open']): Promise<void> {
    const { hosted } = terminal;
    await hosted.begun;
    // After a restart people may be back before the agent is.
    await whenConnected(hosted);
    if (hosted.end) return;
    try {
      terminal.holder = await open(requestOf(hosted, terminal));
    } catch (error) {
      fail(hosted, error);
    }
  }

  /** Asked once more because the answer was lost: the one that was opened. */
  async function findOrStart(wanted: OpenTerminal): Promise<Terminal> {
    const { caller, request } = wanted;
    const before = await findRequested(db, { cluster: clusterName, user: caller.username, request });
    if (!before) return start(wanted);
    const known = terminals.get(before.id);
    if (known) {
      await requireJoin(joinDeps, before, await caller.now(), 'peer');
      return known;
    }
    throw new AppError(
      'conflict',
      `this was opened before${before.ended ? `, and is over: ${before.ended.message}` : ''}`,
    );
  }

  async function resume(hosted: HostedSession): Promise<void> {
    const { session } = hosted;
    if (terminals.has(session.id) || hosted.end) return;
    // What has no terminal was held by its gateway alone, also while it waited for somebody.
    const isWithUs = kinds[session.action.kind].shells === undefined || session.begun !== undefined;
    // What is told of a command is not all of it: a shell in its place would be more than was asked for.
    const isUnrun = session.begun === undefined && session.command !== undefined;
    if (isUnrun || (isWithUs && session.agent === undefined)) {
      hosted.finish({ cause: 'gateway_lost', message: 'the gateway that held it was restarted' });
      return;
    }
    const terminal = await serve(hosted);
    if (session.begun === undefined) void dialWhenBegun(terminal, shellsOf(hosted).open);
    else terminal.holder = shellsOf(hosted).resume(requestOf(hosted, terminal));
    log.info({ sessionId: session.id, username: session.user }, 'session taken over');
  }

  /** Claimed and decided together; recordings are opened some at a time. */
  const adopt = async (sessions: readonly Session[]) => {
    for (let from = 0; from < sessions.length; from += ADOPTED_TOGETHER) {
      const adopted = await host.adopt(sessions.slice(from, from + ADOPTED_TOGETHER));
      const left = adopted.values();
      const some = async () => {
        for (const hosted of left)
          await resume(hosted).catch((error: unknown) =>
            log.error({ error, sessionId: hosted.id }, 'a session cannot be taken over'),
          );
      };
      await Promise.all(Array.from({ length: RESUMED_AT_ONCE }, some));
    }
  };
  const adoptOrphans = async () => adopt(await host.orphans());
  let arrived = new Set<string>();
  /** A thousand agents that come back at once are a few questions. */
  const adopting = createRounds({
    settleMs: ARRIVING_MS,
    retryMs: ADOPT_AGAIN_MS,
    async work() {
      const agentsNow = arrived;
      arrived = new Set();
      try {
        const open = await listOpenOf(db, clusterName, [...agentsNow]);
        await adopt(open.filter(({ id }) => !host.get(id)));
      } catch (error) {
        arrived = new Set([...arrived, ...agentsNow]);
        throw error;
      }
    },
    failed: (error) => log.error({ error }, 'sessions cannot be taken over; trying once more'),
  });
  const forget = agents.onConnected((agent) => {
    arrived.add(agent);
    adopting.soon();
  });
  host.onTick(() => {
    for (const terminal of terminals.values()) {
      const soon = terminal.hosted.end ? undefined : terminal.hosted.soon(WARN_BEFORE_MS);
      if (soon) terminal.notice(soon.kind, soon.text);
    }
    if (now() - lastLook < LOOK_FOR_ORPHANS_MS) return;
    lastLook = now();
    void adoptOrphans().catch((error: unknown) => log.warn({ error }, 'sessions cannot be looked for'));
  });

  return {
    open: (wanted) => same(wanted.caller, wanted.request, () => findOrStart(wanted)),

    async find(joiner, sid, wantedMode) {
      const look = async () => terminals.get(sid)?.hosted.session ?? (await findSession(db, clusterName, sid));
      const { session, mode, mfa } = await findToJoin(joinDeps, joiner, { sid, mode: wantedMode, look });
      const known = terminals.get(sid);
      if (known) return { terminal: known, mode, mfa };
      if (session.ended) return { session, ended: session.ended };
      if (session.agent !== undefined && agents.isConnected(session.agent)) await adopt([session]);
      const adopted = terminals.get(sid);
      if (adopted) return { terminal: adopted, mode, mfa };
      throw new AppError('unavailable', 'no gateway that can be reached from here serves this session at the moment');
    },

    async whenReady(found, caller) {
      const { terminal } = found;
      if (terminal.isReady) return;
      // A server may not answer for as long as it likes, and whoever types meanwhile is heard at the end of it.
      await terminal.ready;
      if (!terminal.hosted.end) await requireStill(joinDeps, terminal.hosted.session, caller, found);
    },

    get: (sid) => terminals.get(sid),
    adoptOrphans,
    close() {
      forget();
      adopting.close();
    },
  };
}
