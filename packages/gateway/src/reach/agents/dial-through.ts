/** Lets an agent dial: one certain one, or several in turn until one gets there. */
import type { Duplex } from 'node:stream';
import { TCP_PREFIX } from '@gatehouse/contract/reach/agents/targets';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { AppError } from '../../platform/std/app-error.ts';
import { orAborted, unreachable } from '../direct/dial-tcp.ts';
import type { DialOptions, Through } from '../reach.ts';
import type { AgentConnections } from './tunnels/agent-connections.ts';

export type DiallingAgents = Pick<AgentConnections, 'open' | 'ping' | 'isConnected'>;
type Agents = Exclude<Through, 'gateway'>;

export interface AgentDialer {
  /** A stream to an address in the network of the first agent that gets there. */
  dial(through: Agents, addr: string, options: DialOptions, within: AbortSignal): Promise<Duplex>;
  /** How fast the first agent that is connected answers, in words; throws where none does. */
  ask(through: Agents, within: AbortSignal): Promise<string>;
  /** A stream to something the agent itself offers. */
  open(agent: string, target: string, options: DialOptions & { metadata?: Record<string, string> }): Promise<Duplex>;
}

export function createAgentDialer(agents: DiallingAgents): AgentDialer {
  let turn = 0;

  /** Beginning with another each time, so that several agents share the work. */
  function candidates(through: Agents): readonly string[] {
    if ('agent' in through) return [through.agent];
    const connected = through.anyOf.filter((agent) => agents.isConnected(agent));
    if (connected.length === 0) throw unreachable('no agent that reaches it is connected', 'start one of its agents');
    turn = (turn + 1) % 1_000_000;
    const from = turn % connected.length;
    return [...connected.slice(from), ...connected.slice(0, from)];
  }

  const open: AgentDialer['open'] = (agent, target, { who, signal, metadata }) =>
    agents.open(agent, target, { metadata: { ...metadata, ...told(who) }, ...(signal ? { signal } : {}) });

  return {
    async dial(through, addr, options, within) {
      let failure: unknown;
      for (const agent of candidates(through)) {
        if (within.aborted) break;
        try {
          return await orGivenUp(open(agent, `${TCP_PREFIX}${addr}`, options), within);
        } catch (error) {
          failure = error;
        }
      }
      throw explain(failure ?? within.reason, addr);
    },
    async ask(through, within) {
      const [agent = ''] = candidates(through);
      const roundTripMs = await orAborted(agents.ping(agent), within).catch((error: unknown) => {
        throw notThere(error);
      });
      return `answers in ${Math.max(1, Math.round(roundTripMs))} ms`;
    },
    open: (agent, target, options) =>
      open(agent, target, options).catch((error: unknown) => {
        throw explain(error, target);
      }),
  };
}

/** No more than this leaves the gateway. */
function told({ user, session }: DialOptions['who']): Record<string, string> {
  return { user, session };
}

/** A stream that comes too late is nobody's. */
async function orGivenUp(opening: Promise<Duplex>, within: AbortSignal): Promise<Duplex> {
  try {
    return await orAborted(opening, within);
  } catch (error) {
    if (within.aborted)
      opening.then(
        (stream) => stream.destroy(),
        () => {},
      );
    throw error;
  }
}

/** An agent that answered is where to look; one that did not has to be there first. */
function explain(error: unknown, target: string): unknown {
  if (error instanceof AppError && error.code === 'denied')
    return withNext(error, `let the configuration of the agent allow ${target}`);
  if (error instanceof AppError && error.cause instanceof StreamRefused)
    return withNext(error, `look from the machine of the agent whether ${target} can be reached`);
  return notThere(error);
}

function notThere(error: unknown): unknown {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const known = isLate ? unreachable('the agent does not answer in time', '', error) : error;
  return withNext(known, 'start the agent on its machine, and look whether it can reach the gateway');
}

/** Whoever threw it may know better what to do. */
function withNext(error: unknown, next: string): unknown {
  // Anything else is our own mistake and stays one.
  if (!(error instanceof AppError)) return error;
  const told = error.fields?.next ? {} : { next };
  return new AppError(error.code, error.message, { cause: error.cause ?? error, fields: { ...error.fields, ...told } });
}
