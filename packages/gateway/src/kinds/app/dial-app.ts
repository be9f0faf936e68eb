/** What is dialled for an application, and how the engine reads it. */
import type { Duplex } from 'node:stream';
import { dialAddress, type KubePort } from '@gatehouse/contract/kinds/app/app-spec';
import { AppError } from '../../platform/std/app-error.ts';
import { createPooledReads } from '../../reach/http/pooled-reads.ts';
import type { Reach, Target } from '../../reach/reach.ts';
import type { TlsTerms } from '../../reach/tls/start-tls.ts';
import type { ListedApp } from './app-directory.ts';

export interface AppDial {
  who: { user: string; session: string };
  /** Whose rights there count, where they are asked for on the way. */
  person?: DiallingPerson;
  /** Ends the waiting, and later the stream itself. */
  signal?: AbortSignal | undefined;
  /** It is read by the engine alone, which takes large pieces. */
  largeReads?: boolean | undefined;
}

/** Somebody who has a session with an application open. */
export interface DiallingPerson {
  username: string;
  signInId: string;
  address: string;
  session: string;
  /** A second factor was proven when it was opened. */
  mfa: boolean;
}

/** To a port in a Kubernetes cluster, in somebody's name. */
export type KubePortDial = (port: KubePort, person: DiallingPerson, signal?: AbortSignal) => Promise<Duplex>;

export type DialledApp = Pick<ListedApp, 'address' | 'dialledBy' | 'ways'> & {
  spec: Pick<ListedApp['spec'], 'insecureSkipVerify' | 'ca' | 'serverName'>;
};

export interface AppDialer {
  /** Bytes to and from the application, inside TLS where it wants that. */
  dial(app: DialledApp, options: AppDial): Promise<Duplex>;
}

export function createAppDialer(reach: Pick<Reach, 'dial'>, dialKube?: KubePortDial): AppDialer {
  return {
    async dial(app, { who, person, signal, largeReads }) {
      const { kube } = app.address;
      if (kube) {
        if (!dialKube || !person) throw new AppError('not_available', 'it can be opened by browsers alone');
        return await dialKube(kube, person, signal);
      }
      const target = appTarget(app);
      // Pieces of their own are for sockets that are read as they are.
      if (!largeReads || target.through !== 'gateway' || target.tls) return await reach.dial(target, { who, signal });
      const reads = createPooledReads();
      const socket = await reach.dial(target, { who, signal, socket: { onread: reads.onread } });
      reads.belongTo(socket);
      return socket;
    },
  };
}

/** Applications may be on the machine of the gateway, beside it; what an agent offers is dialled by agents alone. */
export function appTarget(app: DialledApp): Target {
  const { address, dialledBy, ways } = app;
  return {
    addr: dialAddress(address),
    through: dialledBy === 'gateway' ? 'gateway' : { anyOf: ways },
    mayBeThisMachine: true,
    tls: address.scheme === 'https' ? appTls(app) : undefined,
  };
}

/** By the name in the address, or the one that was given. */
export function appTls({ address, spec }: Pick<DialledApp, 'address' | 'spec'>): TlsTerms {
  const { serverName, ca, insecureSkipVerify } = spec;
  return { name: serverName || address.host, ca, insecureSkipVerify, protocols: ['http/1.1'] };
}
