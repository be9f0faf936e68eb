/** How the gateway gets to a resource: by itself, or through an agent in its network. What was authorised is what is dialled. */

import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostPort } from '@gatehouse/contract/kinds/node/node-spec';
import { TCP_PREFIX } from '@gatehouse/contract/reach/agents/targets';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { z } from 'zod';
import type { Resource } from '../inventory/resource-store.ts';
import { AppError } from '../platform/std/app-error.ts';
import type { AgentConnections } from './agents/tunnels/agent-connections.ts';
import { isThisMachine } from './direct/dial-guard.ts';
import {
  dialTcp,
  type Lookup,
  lookUpAll,
  orAborted,
  parseAddress,
  type ResolvedAddress,
  resolveAddress,
  unreachable,
} from './direct/dial-tcp.ts';
import { type OwnListeners, refuseGuarded } from './direct/guard-address.ts';

export interface DialOptions {
  /** For the log and the audit of the agent that is asked to dial. */
  who: { user: string; session: string };
  /** Ends the waiting, and later the stream itself. */
  signal?: AbortSignal | undefined;
  /** For each of the two steps, finding the way and dialling. */
  timeoutMs?: number;
}

/** A way that was found; nothing is looked up again when it is gone. */
export interface Route {
  /** In words: `directly, web-1.example is 10.0.0.5`. */
  tell: string;
  dial(): Promise<Duplex>;
}

export interface Reach {
  /** Finds the way: the name is resolved, or the agent is connected and answers. Throws `target_unreachable` with `next`. */
  way(resource: Resource, options: DialOptions): Promise<Route>;
  /** Both steps at once. Throws `denied` where the agent's own configuration forbids it. */
  dial(resource: Resource, options: DialOptions): Promise<Duplex>;
  /** Where a name leads, nowhere if nobody knows it. Nothing is dialled. */
  addressesOf(addr: string): Promise<readonly string[]>;
  /** Whether the agent that announces a resource is connected and answers, in words; throws like `way`. */
  agentAnswers(resource: Resource, options: DialOptions): Promise<string>;
  /** A stream to what the agent that announces a resource offers by itself: a shell, files. */
  toAgent(
    resource: Resource,
    target: string,
    options: DialOptions & { metadata?: Record<string, string> },
  ): Promise<Duplex>;
}

export interface ReachDeps {
  agents: Pick<AgentConnections, 'open' | 'ping'>;
  own: OwnListeners;
  /** Names → addresses, for tests. */
  lookup?: Lookup;
}

const TIMEOUT_MS = 10_000;
const LOOK_UP_MS = 3_000;
const NOWHERE: Pick<ResolvedAddress, 'addresses'> = { addresses: [] };

/** What every kind of resource that is dialled by address has in its spec. */
const dialled = z.object({ addr: hostPort, through: z.string().optional(), ownMachine: z.boolean().optional() });

export function createReach({ agents, own, lookup = lookUpAll }: ReachDeps): Reach {
  /** Where a name leads, looked at before anything is dialled. */
  async function lookAt(addr: string, ownMachine: boolean, signal: AbortSignal): Promise<ResolvedAddress> {
    const resolved = await resolveAddress(addr, lookup, signal);
    refuseGuarded(resolved, own);
    if (!ownMachine && resolved.addresses.some(isThisMachine))
      throw new AppError('denied', `${resolved.host} is the machine the gateway runs on`, {
        fields: { next: 'let somebody who may edit roles enter that server' },
      });
    return resolved;
  }

  async function way(resource: Resource, { who, signal, timeoutMs = TIMEOUT_MS }: DialOptions): Promise<Route> {
    const { addr, through, ownMachine = false } = dialled.parse(resource.spec);
    // Whoever announces a resource also dials it, whatever its spec says.
    const agent = resource.owner || through;
    const within = () => deadline(signal, timeoutMs);
    if (agent === undefined) {
      const resolved = await lookAt(addr, ownMachine, within());
      const told = resolved.addresses.includes(resolved.host)
        ? ''
        : `, ${resolved.host} is ${resolved.addresses.join(', ')}`;
      return { tell: `directly${told}`, dial: async () => tieTo(await dialTcp(resolved, within()), signal) };
    }
    const { host } = parseAddress(addr);
    if (isIP(host)) refuseGuarded({ host, port: 0, addresses: [host] }, own);
    const answered = await ask(agent, within());
    return {
      tell: `through an agent in its network, which ${answered}`,
      dial: () =>
        agents
          .open(agent, `${TCP_PREFIX}${addr}`, { metadata: told(who), ...(signal ? { signal } : {}) })
          .catch((error: unknown) => refused(error, addr)),
    };
  }

  async function ask(agent: string, signal: AbortSignal): Promise<string> {
    const roundTripMs = await orAborted(agents.ping(agent), signal).catch(notThere);
    return `answers in ${Math.max(1, Math.round(roundTripMs))} ms`;
  }

  return {
    way,
    async addressesOf(addr) {
      const { addresses } = await resolveAddress(addr, lookup, deadline(undefined, LOOK_UP_MS)).catch(() => NOWHERE);
      return addresses;
    },
    agentAnswers: async ({ owner }, { signal, timeoutMs = TIMEOUT_MS }) =>
      `its agent is connected and ${await ask(owner, deadline(signal, timeoutMs))}`,
    dial: async (resource, options) => (await way(resource, options)).dial(),
    toAgent: (resource, target, { who, signal, metadata }) =>
      agents
        .open(resource.owner, target, { metadata: { ...metadata, ...told(who) }, ...(signal ? { signal } : {}) })
        .catch((error: unknown) => refused(error, target)),
  };
}

/** No more than this leaves the gateway. */
function told({ user, session }: DialOptions['who']): Record<string, string> {
  return { user, session };
}

function deadline(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

function tieTo<T extends Duplex>(stream: T, signal: AbortSignal | undefined): T {
  const forget = whenAborted(signal, () => void stream.destroy());
  stream.once('close', forget);
  return stream;
}

function notThere(error: unknown): never {
  const known = error instanceof AppError ? error : unreachable('the agent does not answer in time', '', error);
  throw withNext(known, 'start the agent on its machine, and look whether it can reach the gateway');
}

function refused(error: unknown, target: string): never {
  const denied = error instanceof AppError && error.code === 'denied';
  throw withNext(
    error,
    denied
      ? `let the configuration of the agent allow ${target}`
      : `look from the machine of the agent whether ${target} can be reached`,
  );
}

/** Whoever threw it may know better what to do. */
function withNext(error: unknown, next: string): unknown {
  // Anything else is our own mistake and stays one.
  if (!(error instanceof AppError)) return error;
  return new AppError(error.code, error.message, { cause: error.cause ?? error, fields: { next, ...error.fields } });
}
