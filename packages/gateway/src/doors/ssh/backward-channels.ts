/** What a program offers to a server: the use of its keys, and of its windows. Led there where a role says so, and told in the log. */
import { agentForwarded, x11Forwarded, x11ForwardFailed } from '@gatehouse/contract/kinds/node/ssh-events';
import { sessionOptions } from '../../access/session-options.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Backward, BackwardPlace, BackwardWay, X11Wish } from '../../sessions/backward.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import type { DoorChannel } from './door-channel.ts';
import type { SshDoorDeps } from './door-deps.ts';
import type { SessionAsked } from './session-asked.ts';

export interface BackwardWishes {
  agent: boolean;
  x11: X11Wish | undefined;
}

export interface GrantedBackward {
  /** Undefined: nothing of it was asked for, or may be. */
  backward: Backward | undefined;
  /** The session is over with the role that gave it. */
  whyNot(owner: Actor): SessionEnd | undefined;
}

const NOT_GIVEN: Record<BackwardWay, string> = {
  agent: "no role of yours lets you forward an agent ('forward_agent')",
  x11: "no role of yours lets you forward X11 ('permit_x11_forwarding')",
};
const COOKIE = /^[0-9a-f]{2,256}$/i;
const PROTOCOL = /^[\w-]{1,64}$/;
const MAX_SCREEN = 1_000;

/** What a program says of its display, within reason. */
export function readX11({ single, protocol, cookie, screen }: Record<keyof X11Wish, unknown>): X11Wish | undefined {
  const secret = String(cookie);
  if (!PROTOCOL.test(String(protocol)) || !COOKIE.test(secret) || Number(screen) > MAX_SCREEN) return undefined;
  return { single: single === true, protocol: String(protocol), cookie: secret, screen: Number(screen) };
}

interface WantedBackward {
  front: DoorChannel;
  resource: Resource;
  actor: Actor;
  wishes: BackwardWishes;
}

export function grantBackward(
  deps: SshDoorDeps,
  asked: SessionAsked,
  { front, resource, actor, wishes }: WantedBackward,
): GrantedBackward {
  const { caller, limits } = asked.person;
  const begun = (way: BackwardWay, at: Partial<BackwardPlace>, failure?: string) => {
    if (failure !== undefined) front.tell(failure);
    void tell(deps, asked, { way, failure, resource, session: at.session });
  };
  const grant = (way: BackwardWay, isWished: boolean): boolean => {
    if (!isWished) return false;
    if (!limits && mayLead(deps, actor, way)) return true;
    begun(way, {}, limits ? 'this was approved for one session: it forwards nothing' : NOT_GIVEN[way]);
    return false;
  };
  // Asked again for each use: a role may have changed since.
  const require = async (way: BackwardWay) => {
    if (!mayLead(deps, await caller.now(), way)) throw new AppError('denied', NOT_GIVEN[way]);
  };
  const agent = grant('agent', wishes.agent);
  const x11 = grant('x11', wishes.x11 !== undefined) ? wishes.x11 : undefined;
  if (!agent && !x11) return { backward: undefined, whyNot: () => undefined };
  const ways: BackwardWay[] = [...(agent ? ['agent' as const] : []), ...(x11 ? ['x11' as const] : [])];
  return {
    backward: {
      ...(agent && { agent: () => require('agent').then(() => asked.toward.keys()) }),
      ...(x11 && { x11: { ...x11, open: (from) => require('x11').then(() => asked.toward.windows(from)) } }),
      begun,
    },
    whyNot(owner) {
      const lost = ways.find((way) => !mayLead(deps, owner, way));
      return lost && { cause: 'denied', message: NOT_GIVEN[lost] };
    },
  };
}

function mayLead({ access }: SshDoorDeps, actor: Actor, way: BackwardWay): boolean {
  const { forwardAgent, x11Forwarding } = sessionOptions(access.of(actor));
  return way === 'agent' ? forwardAgent : x11Forwarding;
}

interface Told {
  way: BackwardWay;
  failure: string | undefined;
  session: string | undefined;
  resource: Resource;
}

async function tell(deps: SshDoorDeps, asked: SessionAsked, { way, failure, session, resource }: Told): Promise<void> {
  const event = { agent: agentForwarded, x11: failure === undefined ? x11Forwarded : x11ForwardFailed }[way];
  const { caller } = asked.person;
  const fields = {
    ...{ user: caller.username, login: asked.login, 'addr.remote': asked.address, proto: 'ssh' },
    ...{ server_id: resource.id, server_hostname: resource.name, success: failure === undefined },
    ...(session === undefined ? {} : { sid: session }),
    ...(failure === undefined ? {} : { error: failure }),
  };
  const context = { signInId: caller.signInId, ...(session === undefined ? {} : { sessionId: session }) };
  await deps.events
    .write(event, fields, context, 'soon')
    .catch((error: unknown) => deps.log.error({ error }, `a forwarded ${way} cannot be written to the log`));
}
