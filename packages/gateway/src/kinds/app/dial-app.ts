/** Opens streams to applications: directly with the name resolved once, or through an agent; with TLS where the address says so. */

import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { dialAddress } from '@gatehouse/contract/kinds/app/app-spec';
import { TCP_PREFIX } from '@gatehouse/contract/reach/agents/targets';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AppError } from '../../platform/std/app-error.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import {
  dialTcp,
  type Lookup,
  lookUpAll,
  type ResolvedAddress,
  resolveAddress,
  unreachable,
} from '../../reach/direct/dial-tcp.ts';
import { refuseGuarded } from '../../reach/direct/guard-address.ts';
import type { ListedApp } from './app-directory.ts';
import type { AppHosts } from './app-hosts.ts';
import { createPooledReads } from './engine/pooled-reads.ts';

export interface DialAppDeps {
  agents: Pick<AgentConnections, 'open' | 'isConnected'>;
  hosts: Pick<AppHosts, 'isUnderBase'>;
  /** Ports the gateway listens on by itself. */
  ownPorts(): readonly number[];
  lookup?: Lookup | undefined;
}

export interface AppDial {
  who: { user: string; session: string };
  /** Ends the waiting, and later the stream itself. */
  signal?: AbortSignal | undefined;
  /** It is read by the engine alone, which takes large pieces. */
  largeReads?: boolean | undefined;
}

type DialledApp = Pick<ListedApp, 'address' | 'dialledBy' | 'ways'>;
type Target = DialledApp & {
  spec: Pick<ListedApp['spec'], 'insecureSkipVerify' | 'ca' | 'serverName'>;
};

export interface AppDialer {
  /** Bytes to and from the application, inside TLS where it wants that. */
  dial(app: Target, options: AppDial): Promise<Duplex>;
  /** Where the name of a directly dialled one leads; throws for what must never be reached. */
  resolve(app: Pick<Target, 'address'>, signal: AbortSignal): Promise<ResolvedAddress>;
  /** Bytes without TLS. */
  dialPlain(app: DialledApp, options: AppDial): Promise<Duplex>;
}

const TIMEOUT_MS = 10_000;

export function createAppDialer({ agents, hosts, ownPorts, lookup = lookUpAll }: DialAppDeps): AppDialer {
  /** An application that is the gateway again would let everything in it be reached as somebody else. */
  const own = { ownPorts, isUnderBase: hosts.isUnderBase };

  const resolve: AppDialer['resolve'] = async ({ address }, signal) => {
    const resolved = await resolveAddress(dialAddress(address), lookup, signal);
    refuseGuarded(resolved, own);
    return resolved;
  };

  async function dialPlain({ address, dialledBy, ways }: DialledApp, options: AppDial): Promise<Duplex> {
    const { who, signal } = options;
    const within = () => deadline(signal);
    if (dialledBy === 'gateway') {
      const resolved = await resolve({ address }, within());
      if (!options.largeReads || address.scheme === 'https') return await dialTcp(resolved, within());
      const reads = createPooledReads();
      const socket = await dialTcp(resolved, within(), { onread: reads.onread });
      reads.belongTo(socket);
      return socket;
    }
    if (isIP(address.host)) refuseGuarded({ host: address.host, port: 0, addresses: [address.host] }, own);
    const metadata = { user: who.user, session: who.session };
    let failure: unknown = unreachable('no agent that reaches it is connected', 'start one of its agents');
    for (const agent of inTurn(ways.filter((way) => agents.isConnected(way)))) {
      try {
        const target = `${TCP_PREFIX}${dialAddress(address)}`;
        return await agents.open(agent, target, { metadata, ...(signal ? { signal } : {}) });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  return {
    resolve,
    dialPlain,
    async dial(app, options) {
      const plain = await dialPlain(app, options);
      if (app.address.scheme !== 'https') return plain;
      try {
        return await startTls(plain, app, deadline(options.signal));
      } catch (error) {
        plain.destroy();
        throw error;
      }
    },
  };
}

let turn = 0;

/** Beginning with another each time, so that several agents share the work. */
function inTurn<T>(all: readonly T[]): T[] {
  turn = (turn + 1) % 1_000_000;
  const from = all.length === 0 ? 0 : turn % all.length;
  return [...all.slice(from), ...all.slice(0, from)];
}

function deadline(signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  return signal ? AbortSignal.any([signal, timeout]) : timeout;
}

/** The certificate is checked against the name in the address, or the one that was given; never skipped in silence. */
export function startTls(
  stream: Duplex,
  { address, spec }: Pick<Target, 'address' | 'spec'>,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const name = spec.serverName || address.host;
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: stream,
      ...(isIP(name) ? { host: name } : { servername: name, host: name }),
      ...(spec.ca === '' ? {} : { ca: spec.ca }),
      rejectUnauthorized: !spec.insecureSkipVerify,
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
    });
    const settled = whenAborted(
      signal,
      () => void socket.destroy(new Error('it does not finish the TLS handshake in time')),
    );
    socket.once('secureConnect', () => {
      settled();
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', (error) => {
      settled();
      reject(tlsFailure(error, name));
    });
    socket.once('close', () => {
      settled();
      reject(tlsFailure(new Error('it closed the connection'), name));
    });
  });
}

function tlsFailure(error: Error, name: string): AppError {
  const code = 'code' in error ? String(error.code) : '';
  const [why, next] = TLS_WORDS[code] ?? [error.message, 'look at what listens there, and whether it speaks TLS'];
  return unreachable(`its certificate or TLS is not accepted for '${name}': ${why}`, next, error);
}

const OWN_AUTHORITY = 'give its authority as CA, or the name in its certificate as server name';
const TLS_WORDS: Record<string, readonly [why: string, next: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['it vouches for itself', OWN_AUTHORITY],
  SELF_SIGNED_CERT_IN_CHAIN: ['an authority nobody knows vouches for it', OWN_AUTHORITY],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['an authority nobody knows vouches for it', OWN_AUTHORITY],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['an authority nobody knows vouches for it', OWN_AUTHORITY],
  CERT_HAS_EXPIRED: ['it has expired', 'renew the certificate of the application'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['it names another host', OWN_AUTHORITY],
};
