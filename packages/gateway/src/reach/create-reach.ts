/** How the gateway gets to a resource: by itself, or through agents in its network. Every dial, for whatever kind, happens here. */
import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { AppError } from '../platform/std/app-error.ts';
import { createAgentDialer, type DiallingAgents } from './agents/dial-through.ts';
import {
  dialTcp,
  type Lookup,
  lookUpAll,
  orAborted,
  parseAddress,
  type ResolvedAddress,
  resolveAddress,
} from './direct/dial-tcp.ts';
import { type OwnListeners, refuseGuarded, refuseGuardedBeyond, refuseStore } from './direct/guard-address.ts';
import { isThisMachine } from './direct/this-machine.ts';
import type { DialOptions, Reach, Target } from './reach.ts';
import { startTls } from './tls/start-tls.ts';

export interface ReachDeps {
  agents: DiallingAgents;
  own: OwnListeners;
  /** Names → addresses, for tests. */
  lookup?: Lookup | undefined;
}

const TIMEOUT_MS = 10_000;
/** An agent gives up by itself after as long as we would, and says why: its words are waited for. */
const AGENT_SAYS_MS = 5_000;
const LOOK_UP_MS = 3_000;
/** Of one name. Whoever has a name of their own could otherwise look through a network with a single dial. */
const MAX_ADDRESSES = 8;
const NOWHERE: Pick<ResolvedAddress, 'addresses'> = { addresses: [] };

interface Prepared {
  host: string;
  addresses: readonly string[];
  open(within: AbortSignal): Promise<Duplex>;
}

export function createReach({ agents, own, lookup = lookUpAll }: ReachDeps): Reach {
  const through = createAgentDialer(agents);

  /** Where a name leads, looked at before anything is dialled. */
  async function lookAt({ addr, mayBeThisMachine }: Target, within: AbortSignal): Promise<ResolvedAddress> {
    const resolved = await resolveAddress(addr, lookup, within);
    refuseGuarded(resolved, own);
    await refuseStore(resolved, own, (host) => orAborted(lookup(host), within));
    if (!mayBeThisMachine && resolved.addresses.some(isThisMachine))
      throw new AppError('denied', `${resolved.host} is the machine the gateway runs on`, {
        fields: { next: 'let somebody who may edit roles enter it' },
      });
    return { ...resolved, addresses: resolved.addresses.slice(0, MAX_ADDRESSES) };
  }

  /** Looks at a target before anything is dialled, and gives what opens it. */
  async function prepare(target: Target, options: DialOptions, within: AbortSignal): Promise<Prepared> {
    const { addr, through: who, tls } = target;
    if (who !== 'gateway') {
      const address = parseAddress(addr);
      refuseGuardedBeyond(address, own);
      return { host: address.host, addresses: [], open: (until) => through.dial(who, addr, options, until) };
    }
    const resolved = await lookAt(target, within);
    const socket = tls ? undefined : options.socket;
    return { ...resolved, open: async (until) => tieTo(await dialTcp(resolved, until, socket), options.signal) };
  }

  async function openSecured({ open }: Prepared, { tls }: Target, within: AbortSignal): Promise<Duplex> {
    const plain = await open(within);
    if (!tls) return plain;
    try {
      return await startTls(plain, tls, within);
    } catch (error) {
      plain.destroy();
      throw error;
    }
  }

  return {
    async way(target, options) {
      const within = () => deadline(options, target);
      const prepared = await prepare(target, options, within());
      const { host, addresses } = prepared;
      const leads = addresses.includes(host) ? '' : `, ${host} is ${addresses.join(', ')}`;
      return {
        tell:
          target.through === 'gateway'
            ? `directly${leads}`
            : `through an agent in its network, which ${await through.ask(target.through, within())}`,
        addresses,
        dial: () => openSecured(prepared, target, within()),
      };
    },
    async dial(target, options) {
      const within = deadline(options, target);
      return await openSecured(await prepare(target, options, within), target, within);
    },
    async addressesOf(addr) {
      const { addresses } = await resolveAddress(addr, lookup, AbortSignal.timeout(LOOK_UP_MS)).catch(() => NOWHERE);
      return addresses;
    },
    agentAnswers: async ({ owner }, { signal, timeoutMs = TIMEOUT_MS }) =>
      `its agent is connected and ${await through.ask({ agent: owner }, until(signal, timeoutMs))}`,
    toAgent: ({ owner }, target, options) => through.open(owner, target, options),
  };
}

function deadline({ signal, timeoutMs = TIMEOUT_MS }: DialOptions, { through }: Target): AbortSignal {
  return until(signal, through === 'gateway' ? timeoutMs : timeoutMs + AGENT_SAYS_MS);
}

function until(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

function tieTo<T extends Duplex>(stream: T, signal: AbortSignal | undefined): T {
  const forget = whenAborted(signal, () => void stream.destroy());
  stream.once('close', forget);
  return stream;
}
