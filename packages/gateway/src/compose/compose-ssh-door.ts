/** Puts together the door of programs that speak SSH. */
import type { FastifyInstance } from 'fastify';
import type { SshDoorDeps } from '../doors/ssh/door-deps.ts';
import { createSshDoor, type SshDoor } from '../doors/ssh/ssh-door.ts';
import { watchCertificates } from '../doors/ssh/watch-certificates.ts';
import type { Identity } from '../identity/identity.ts';
import { onwardsOverSsh } from '../kinds/node/engine/onwards-over-ssh.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import { requireStore } from '../platform/change-feed/lost-store.ts';
import type { GatewayConfig } from '../platform/config/resolve.ts';
import { createRateLimit } from '../platform/http/rate-limit.ts';
import { clientKey } from '../platform/std/client-key.ts';
import { createThrottle } from '../platform/std/throttle.ts';
import type { Servers } from './compose-servers.ts';
import type { Sessions } from './compose-sessions.ts';
import { sshHostNames } from './host-names.ts';

/** What is written down of who is active is written no more often than this. */
const ACTIVE_EVERY_MS = 5_000;
/** Refused programs of one address that the log is told of, in so long. */
const MAX_TOLD = 20;
const TOLD_MS = 60_000;

export interface ComposeSshDoorDeps
  extends Pick<
    SshDoorDeps,
    'db' | 'audit' | 'access' | 'events' | 'recorder' | 'clusterName' | 'clusters' | 'log' | 'now'
  > {
  config: Pick<GatewayConfig, 'ssh' | 'publicAddr'>;
  feed: ChangeFeed;
  identity: SshDoorDeps['identity'] & Pick<Identity, 'active'>;
  servers: Pick<Servers, 'ssh' | 'kinds'>;
  sessions: Pick<Sessions, 'host' | 'terminals'>;
}

export function composeSshDoor(app: Pick<FastifyInstance, 'addHook'>, parts: ComposeSshDoorDeps): SshDoor {
  const { config, feed, identity, servers, sessions, now } = parts;
  const revoked = watchCertificates(parts);
  const asked = createRateLimit(now);
  const mayTell = createThrottle(MAX_TOLD, TOLD_MS, now);
  const seen = new Map<string, number>();
  const door = createSshDoor({
    ...parts,
    ...{ revoked, kinds: servers.kinds, certificates: servers.ssh.certificates, hostKey: servers.ssh.hostKey },
    ...{ host: sessions.host, terminals: sessions.terminals, onwards: onwardsOverSsh() },
    requireStore: () => requireStore(feed),
    hostNames: () => sshHostNames(config),
    mayAsk: (address) => asked.take(address),
    mayTell: (address) => mayTell(clientKey(address)),
    active({ signInId }) {
      if (now() - (seen.get(signInId) ?? 0) < ACTIVE_EVERY_MS) return;
      // Those of before are not kept for ever.
      seen.delete(signInId);
      for (const [oldest] of seen) if (seen.size > 1_000) seen.delete(oldest);
      seen.set(signInId, now());
      identity.active(signInId);
    },
  });
  app.addHook('preClose', async () => door.close());
  app.addHook('onClose', async () => revoked.close());
  return door;
}
