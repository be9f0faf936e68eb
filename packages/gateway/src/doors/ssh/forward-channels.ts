/** Connections that a program wants from a server to elsewhere, or from there to itself: all of one connection to the door are one session, each is an event. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { portForwarded, portForwardFailed } from '@gatehouse/contract/kinds/node/ssh-events';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { sessionOptions } from '../../access/session-options.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { joinStreams } from '../../platform/std/join-streams.ts';
import type { CameIn, Forwards, ForwardTarget } from '../../sessions/commands/running-command.ts';
import { connectAs } from '../../sessions/host/as-login.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import { UNJOINABLE } from '../../sessions/host/session-parts.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { findServer, LEADS_NOWHERE, requireFactor } from './door-words.ts';
import { type Listened, ListeningPlaces, nameOf } from './listening-places.ts';
import type { SessionAsked } from './session-asked.ts';

const NO_LISTENING: SessionEnd = {
  cause: 'denied',
  message: "no role of yours lets you have a server listen for you ('remote_forwarding')",
};
/** A host, or the path of a socket. */
const MAX_NAME = 260;
const SIZE = { cols: 80, rows: 24 };

export interface ForwardChannels {
  /** Throws in words why not. `accept` is called once there is something at the other end. */
  open(target: ForwardTarget, accept: () => Duplex): Promise<void>;
  /** Throws in words why not. */
  listen(at: ForwardTarget): Promise<Listened>;
  /** False: it did not listen there. */
  unlisten(at: ForwardTarget): boolean;
  /** The connection to the door is over. */
  close(): void;
}

interface Opened {
  hosted: HostedSession;
  forwards: Forwards;
  resource: Resource;
}

export function forwardChannels(deps: SshDoorDeps, asked: SessionAsked): ForwardChannels {
  let opening: Promise<Opened> | undefined;
  /** What it was opened for decides which roles it stands on. */
  let uses = new Set<Use>();
  let places = new ListeningPlaces();

  const session = async (use: Use): Promise<Opened> => {
    if (!opening) {
      uses = new Set([use]);
      places = new ListeningPlaces();
      opening = openSession(deps, asked, uses);
    }
    const before = opening;
    try {
      const opened = await before;
      if (!opened.hosted.end) {
        const refusal = whyNot(deps, await asked.person.caller.now(), new Set([use]));
        if (refusal) throw new AppError('denied', refusal.message);
        uses.add(use);
        return opened;
      }
    } catch (error) {
      if (opening === before && !(await isOpen(before))) opening = undefined;
      throw error;
    }
    if (opening === before) opening = undefined;
    return await session(use);
  };

  const lead = async (opened: Opened, at: ForwardTarget, came: CameIn) => {
    const to = nameOf(at);
    try {
      const near = await asked.toward.listened(at, came.from);
      if (opened.hosted.end) near.destroy();
      else join(deps, asked, { hosted: opened.hosted, near, far: came.accept() });
    } catch (error) {
      came.reject();
      await tell(deps, asked, { ...opened, to, failure: errorMessage(error), listens: true });
    }
  };

  return {
    async open(target, accept) {
      const to = nameOf(target);
      // It is told, kept and handed on: longer ones are nobody's.
      if (to.length > MAX_NAME) throw new AppError('bad_request', 'that is no address');
      const { hosted, forwards, resource } = await session('out');
      try {
        const far = await forwards.open(target);
        await tell(deps, asked, { resource, hosted, to, failure: undefined });
        join(deps, asked, { hosted, near: accept(), far });
      } catch (error) {
        await tell(deps, asked, { resource, hosted, to, failure: errorMessage(error) });
        throw error;
      }
    },
    async listen(at) {
      const opened = await session('in');
      const { hosted, forwards, resource } = opened;
      const event = { resource, hosted, listens: true };
      try {
        if (!forwards.listen)
          throw new AppError(
            'not_available',
            `the agent on '${resource.name}' listens for nobody: -R needs a plain sshd`,
          );
        const { listen } = forwards;
        const listened = await places.listen({
          at,
          start: (onCameIn) => listen(at, onCameIn),
          lead: (named, came) => void lead(opened, named, came),
        });
        await tell(deps, asked, { ...event, to: nameOf(listened.at), failure: undefined });
        return listened;
      } catch (error) {
        await tell(deps, asked, { ...event, to: nameOf(at), failure: errorMessage(error) });
        throw error;
      }
    },
    unlisten: (at) => places.unlisten(at),
    close() {
      void opening?.then(
        ({ hosted }) => hosted.finish({ cause: 'closed', message: 'the client left' }),
        () => {},
      );
    },
  };
}

type Use = 'out' | 'in';

function whyNot({ access }: SshDoorDeps, owner: Actor, uses: ReadonlySet<Use>): SessionEnd | undefined {
  const held = access.of(owner);
  const { portForwarding, remoteForwarding } = sessionOptions(held);
  if (uses.has('out') && !portForwarding) {
    const by = held.roles.find(({ role }) => role.options.port_forwarding === false)?.role.name ?? '';
    return { cause: 'denied', message: `port forwarding is turned off by your role '${by}'` };
  }
  return uses.has('in') && !remoteForwarding ? NO_LISTENING : undefined;
}

function isOpen(opening: Promise<Opened>): Promise<boolean> {
  return opening.then(
    ({ hosted }) => !hosted.end,
    () => false,
  );
}

async function openSession(deps: SshDoorDeps, asked: SessionAsked, uses: ReadonlySet<Use>): Promise<Opened> {
  const { person, address, login } = asked;
  const { caller } = person;
  const { username, signInId } = caller;
  const { commands } = deps.kinds[MACHINE_KIND];
  if (!commands) throw new AppError('not_available', 'nothing is forwarded here');
  if (person.limits) throw new AppError('denied', LEADS_NOWHERE);
  const resource = await findServer(deps, await caller.now(), asked.servers);
  const hosted = await deps.host.open({
    ...{ caller, address, requestId: randomUUID(), request: randomUUID(), size: SIZE },
    action: connectAs(MACHINE_KIND, resource, login),
    call: 'ssh forward',
    nature: UNJOINABLE,
    ...{ agent: undefined, recorded: false, interactive: false, command: 'port-forward' },
    part: { whyNot: (owner) => whyNot(deps, owner, uses) },
    proveFactor: () => requireFactor(deps, person),
  });
  hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  try {
    const { id, user, action, mfa } = hosted.session;
    const forwards = await commands.forwards({
      ...{ session: id, user, signInId, address, mfa, action },
      signal: hosted.signal,
    });
    whenAborted(hosted.signal, () => {
      forwards.close();
      const { cause, message } = hosted.signal.reason as SessionEnd;
      // Connections only close: whoever looks at a command beside them hears why.
      if (cause !== 'closed') asked.tell(message);
    });
    hosted.connected();
    return { hosted, forwards, resource };
  } catch (error) {
    const before = hosted.end;
    hosted.finish({ cause: 'failed', message: errorMessage(error) });
    throw before ? new AppError('denied', before.message) : error;
  }
}

interface Joined {
  hosted: HostedSession;
  near: Duplex;
  far: Duplex;
}

function join(deps: SshDoorDeps, { person: { caller } }: SessionAsked, { hosted, near, far }: Joined): void {
  near.on('data', () => {
    hosted.active(hosted.id);
    deps.active(caller);
  });
  far.on('data', () => hosted.active(hosted.id));
  let forget = () => {};
  const cut = joinStreams(near, far, () => forget());
  forget = whenAborted(hosted.signal, cut);
}

interface ForwardOutcome {
  resource: Resource;
  hosted: HostedSession;
  to: string;
  failure: string | undefined;
  /** On the server, for the program. */
  listens?: boolean;
}

async function tell(deps: SshDoorDeps, asked: SessionAsked, told: ForwardOutcome): Promise<void> {
  const { resource, hosted, to, failure, listens } = told;
  const { caller } = asked.person;
  const fields = {
    user: caller.username,
    login: asked.login,
    'addr.remote': asked.address,
    proto: 'ssh',
    sid: hosted.id,
    server_id: resource.id,
    server_hostname: resource.name,
    addr: to,
    ...(listens ? { listens } : {}),
    success: failure === undefined,
    ...(failure === undefined ? {} : { error: failure }),
  };
  const event = failure === undefined ? portForwarded : portForwardFailed;
  await deps.events
    .write(event, fields, { signInId: caller.signInId, sessionId: hosted.id }, 'soon')
    .catch((error: unknown) => deps.log.error({ error }, 'a forwarded port cannot be written to the log'));
}
