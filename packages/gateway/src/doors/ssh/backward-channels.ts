/** What a program offers to a server: the use of its keys, and of its windows. Led there where a role says so, and told in the log. */
import type { Duplex } from 'node:stream';
import { factsOf, MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { agentForwarded, x11Forwarded, x11ForwardFailed } from '@gatehouse/contract/kinds/node/ssh-events';
import { sessionOptions } from '../../access/session-options.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Backward, BackwardPlace, BackwardWay, X11Wish } from '../../sessions/backward.ts';
import { joinRules } from '../../sessions/host/moderation.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import type { DoorChannel } from './door-channel.ts';
import type { SshDoorDeps } from './door-deps.ts';
import { LEADS_NOWHERE } from './door-words.ts';
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
  /** While nothing passes in the session, nothing passes beside it either. */
  hold(isHeld: boolean): void;
}

export const NOTHING_BACKWARD: GrantedBackward = { backward: undefined, whyNot: () => undefined, hold() {} };

const NOT_GIVEN: Record<BackwardWay, string> = {
  agent: "no role of yours lets you forward an agent ('forward_agent')",
  x11: "no role of yours lets you forward X11 ('permit_x11_forwarding')",
};
const UNSEEN = 'a role of yours lets this be done only under the eyes of a moderator, who would not see windows of X11';
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
  wishes: BackwardWishes;
}

export function grantBackward(
  deps: SshDoorDeps,
  asked: SessionAsked,
  actor: Actor,
  { front, resource, wishes }: WantedBackward,
): GrantedBackward {
  const { caller, limits } = asked.person;
  const begun = (way: BackwardWay, at: Partial<BackwardPlace>, failure?: string) => {
    if (failure !== undefined) front.tell(failure);
    void tell(deps, asked, { way, failure, resource, session: at.session });
  };
  const grant = (way: BackwardWay, isWished: boolean): boolean => {
    if (!isWished) return false;
    const why = limits ? LEADS_NOWHERE : whyNotLed(deps, actor, way);
    if (why !== undefined) begun(way, {}, why);
    return why === undefined;
  };
  // Asked again for each use: a role may have changed since.
  const require = async (way: BackwardWay) => {
    const why = isHeld ? 'the session is held up' : whyNotLed(deps, await caller.now(), way);
    if (why !== undefined) throw new AppError('denied', why);
  };
  const led = new Set<Duplex>();
  let isHeld = false;
  const lead = async (way: BackwardWay, open: () => Promise<Duplex>): Promise<Duplex> => {
    await require(way);
    const near = await open();
    led.add(near);
    near.once('close', () => led.delete(near));
    // Held up while it was opened.
    if (isHeld) near.destroy();
    return near;
  };
  const agent = grant('agent', wishes.agent);
  const x11 = grant('x11', wishes.x11 !== undefined) ? wishes.x11 : undefined;
  if (!agent && !x11) return NOTHING_BACKWARD;
  const ways: BackwardWay[] = [...(agent ? ['agent' as const] : []), ...(x11 ? ['x11' as const] : [])];
  return {
    backward: {
      ...(agent && { agent: () => lead('agent', () => asked.toward.keys()) }),
      ...(x11 && { x11: { ...x11, open: (from) => lead('x11', () => asked.toward.windows(from)) } }),
      begun,
    },
    whyNot(owner) {
      const [message] = ways.flatMap((way) => whyNotLed(deps, owner, way) ?? []);
      return message === undefined ? undefined : { cause: 'denied', message };
    },
    hold(held) {
      isHeld = held;
      if (held) for (const near of led) near.destroy();
    },
  };
}

/** In words; undefined where it may be. */
function whyNotLed({ access }: SshDoorDeps, actor: Actor, way: BackwardWay): string | undefined {
  const held = access.of(actor);
  const { forwardAgent, x11Forwarding } = sessionOptions(held);
  if (!(way === 'agent' ? forwardAgent : x11Forwarding)) return NOT_GIVEN[way];
  // Whatever can be typed can be typed into a window too.
  const isWatched = joinRules(held, factsOf(MACHINE_KIND).sessionKind).length > 0;
  return way === 'x11' && isWatched ? UNSEEN : undefined;
}

interface BackwardOutcome {
  way: BackwardWay;
  failure: string | undefined;
  session: string | undefined;
  resource: Resource;
}

async function tell(
  deps: SshDoorDeps,
  asked: SessionAsked,
  { way, failure, session, resource }: BackwardOutcome,
): Promise<void> {
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
