/** Connections that a program wants from a server to elsewhere: all of one connection to the door are one session, each is an event. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { portForwarded, portForwardFailed } from '@gatehouse/contract/kinds/node/ssh-events';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { sessionOptions } from '../../access/session-options.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Forwards, ForwardTarget } from '../../sessions/commands/running-command.ts';
import { connectAs } from '../../sessions/host/as-login.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import { UNJOINABLE } from '../../sessions/host/session-parts.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { findServer, requireFactor } from './door-words.ts';
import type { SessionAsked } from './session-channel.ts';

const NO_FORWARDS: SessionEnd = { cause: 'denied', message: 'a role of yours does not let you forward ports' };
const SIZE = { cols: 80, rows: 24 };

export interface ForwardChannels {
  /** Throws in words why not. `accept` is called once there is something at the other end. */
  open(target: ForwardTarget, accept: () => Duplex): Promise<void>;
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

  const session = async (): Promise<Opened> => {
    opening ??= openSession(deps, asked);
    const before = opening;
    try {
      const opened = await before;
      if (!opened.hosted.end) return opened;
    } catch (error) {
      if (opening === before) opening = undefined;
      throw error;
    }
    if (opening === before) opening = undefined;
    return await session();
  };

  return {
    async open(target, accept) {
      const { hosted, forwards, resource } = await session();
      const to = target.type === 'tcp' ? `${target.host}:${target.port}` : target.path;
      try {
        const far = await forwards.open(target);
        await tell(deps, asked, { resource, hosted, to, failure: undefined });
        join(deps, asked, { hosted, near: accept(), far });
      } catch (error) {
        await tell(deps, asked, { resource, hosted, to, failure: errorMessage(error) });
        throw error;
      }
    },
    close() {
      void opening?.then(
        ({ hosted }) => hosted.finish({ cause: 'closed', message: 'the client left' }),
        () => {},
      );
    },
  };
}

async function openSession(deps: SshDoorDeps, asked: SessionAsked): Promise<Opened> {
  const { person, address, login } = asked;
  const { caller } = person;
  const { username, signInId } = caller;
  const { commands } = deps.kinds[MACHINE_KIND];
  if (!commands) throw new AppError('not_available', 'nothing is forwarded here');
  if (person.limits) throw new AppError('denied', 'this was approved for one session: it forwards nothing');
  const resource = await findServer(deps, await caller.now(), asked.servers);
  const hosted = await deps.host.open({
    ...{ caller, address, requestId: randomUUID(), request: randomUUID(), size: SIZE },
    action: connectAs(MACHINE_KIND, resource, login),
    call: 'ssh forward',
    nature: UNJOINABLE,
    ...{ agent: undefined, recorded: false, interactive: false, command: 'port-forward' },
    part: { whyNot: (owner) => (mayForward(deps, owner) ? undefined : NO_FORWARDS) },
    proveFactor: () => requireFactor(deps, person),
  });
  hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  try {
    const { id, user, action, mfa } = hosted.session;
    const forwards = await commands.forwards({
      ...{ session: id, user, signInId, address, mfa, action },
      signal: hosted.signal,
    });
    whenAborted(hosted.signal, () => forwards.close());
    hosted.connected();
    return { hosted, forwards, resource };
  } catch (error) {
    const before = hosted.end;
    hosted.finish({ cause: 'failed', message: errorMessage(error) });
    throw before ? new AppError('denied', before.message) : error;
  }
}

function mayForward({ access }: SshDoorDeps, actor: Actor): boolean {
  return sessionOptions(access.of(actor)).portForwarding;
}

interface Joined {
  hosted: HostedSession;
  near: Duplex;
  far: Duplex;
}

function join(deps: SshDoorDeps, { person: { caller } }: SessionAsked, { hosted, near, far }: Joined): void {
  const cut = () => {
    near.destroy();
    far.destroy();
  };
  const forget = whenAborted(hosted.signal, cut);
  near.on('data', () => {
    hosted.active(hosted.id);
    deps.active(caller);
  });
  far.on('data', () => hosted.active(hosted.id));
  let left = 2;
  const over = (error: unknown) => {
    left -= 1;
    // One side may go on after the other has said everything; a broken one takes the other with it.
    if (!error && left > 0) return;
    forget();
    cut();
  };
  pipeline(near, far, over);
  pipeline(far, near, over);
}

interface Told {
  resource: Resource;
  hosted: HostedSession;
  to: string;
  failure: string | undefined;
}

async function tell(deps: SshDoorDeps, asked: SessionAsked, { resource, hosted, to, failure }: Told): Promise<void> {
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
    success: failure === undefined,
    ...(failure === undefined ? {} : { error: failure }),
  };
  const event = failure === undefined ? portForwarded : portForwardFailed;
  await deps.events
    .write(event, fields, { signInId: caller.signInId, sessionId: hosted.id }, 'soon')
    .catch((error: unknown) => deps.log.error({ error }, 'a forwarded port cannot be written to the log'));
}
