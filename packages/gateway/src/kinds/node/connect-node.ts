/** Signs in to servers with plain OpenSSH: finds the way, mints a certificate for this one session, and checks the server's key. */
import type { Duplex } from 'node:stream';
import { type OpenSshNodeSpec, openSshNodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { hostKeyRefused } from '@gatehouse/contract/kinds/node/server-events';
import type { SshAuthorities } from '../../identity/authorities/ssh/create-ssh-authorities.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { DialOptions, Reach } from '../../reach/reach.ts';
import type { SshConnection, SshRequest } from './engine/connect-ssh.ts';
import { SshFailure } from './engine/ssh-failure.ts';
import type { NodeStates } from './node-states.ts';
import { nodeTarget } from './node-target.ts';

export interface NodeLogin extends DialOptions {
  /** The very object access was decided for. */
  resource: Resource;
  login: string;
  who: DialOptions['who'] & { signInId?: string };
  /** What the session may do beside running commands; a terminal unless told. */
  permits?: readonly string[];
  until?: SshRequest['until'];
  onHandshake?: () => void;
}

export interface NodeConnections {
  /** Rejects with an `SshFailure`, or with what `Reach.dial` throws. */
  connect(wanted: NodeLogin): Promise<SshConnection>;
  /** The same over a stream that is open already. */
  connectOver(stream: Duplex, wanted: NodeLogin): Promise<SshConnection>;
  /** Lines of the host keys a server shows now. Nothing is believed or stored. */
  scanHostKeys(resource: Resource, options: DialOptions): Promise<string[]>;
  addressesOf: Reach['addressesOf'];
}

export interface NodeConnectionDeps {
  db: Db;
  reach: Reach;
  authorities: Pick<SshAuthorities, 'mint'>;
  audit: Audit;
  states: NodeStates;
  now: () => number;
}

/** sshd looks at it once, when somebody signs in. */
const CERTIFICATE_TTL_MS = 5 * 60_000;

export function createNodeConnections(deps: NodeConnectionDeps): NodeConnections {
  const { db, reach, authorities, audit, states, now } = deps;

  async function connectOver(stream: Duplex, wanted: NodeLogin): Promise<SshConnection> {
    const { resource, login, who, permits, signal, until, onHandshake } = wanted;
    const spec = openSshNodeSpec.parse(resource.spec);
    // Loaded when the first connection is made: no start waits for it.
    const { connectSsh } = await import('./engine/connect-ssh.ts');
    const credential = await authorities.mint({
      login,
      user: who.user,
      session: who.session,
      server: { id: resource.id, name: resource.name },
      sourceAddresses: spec.sourceAddresses,
      ttlMs: CERTIFICATE_TTL_MS,
      ...(permits ? { permits } : {}),
    });
    try {
      const connection = await connectSsh({
        stream,
        node: { name: resource.name, ...spec },
        login,
        credential,
        now,
        ...(signal ? { signal } : {}),
        ...(until ? { until } : {}),
        ...(onHandshake ? { onHandshake } : {}),
      });
      states.answered(resource.id);
      return connection;
    } catch (error) {
      states.failed(resource.id, error);
      if (error instanceof SshFailure && error.hostKey) await tellRefused(wanted, spec, error);
      throw error;
    }
  }

  async function tellRefused({ resource, login, who }: NodeLogin, spec: OpenSshNodeSpec, failure: SshFailure) {
    const fields = {
      user: who.user,
      login,
      name: resource.name,
      server_id: resource.id,
      server_addr: spec.addr,
      fingerprint: failure.hostKey?.fingerprint ?? '',
      reason: failure.message,
    };
    const context = { sessionId: who.session, ...(who.signInId ? { signInId: who.signInId } : {}) };
    await db.transaction().execute((tx) => audit.emit(tx, hostKeyRefused, fields, context));
  }

  return {
    connectOver,
    addressesOf: (addr) => reach.addressesOf(addr),
    async connect(wanted) {
      const stream = await reach.dial(nodeTarget(wanted.resource), wanted).catch((error: unknown) => {
        states.failed(wanted.resource.id, error);
        throw error;
      });
      return await connectOver(stream, wanted);
    },
    async scanHostKeys(resource, options) {
      const { addr } = openSshNodeSpec.parse(resource.spec);
      const { scanHostKeys } = await import('./engine/scan-host-keys.ts');
      const way = await reach.way(nodeTarget(resource), options);
      return await scanHostKeys({ dial: () => way.dial(), addr });
    },
  };
}
