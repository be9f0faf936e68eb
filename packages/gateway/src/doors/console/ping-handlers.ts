/** Answers what this gateway is: ping, find, motd. */
import type { PageConfig } from '@gatehouse/contract/console/page-config';
import type { Pong, pingRoutes } from '@gatehouse/contract/console/ping';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { SshAddresses } from './ssh-addresses.ts';

export interface PingDeps {
  version: string;
  clusterName: string;
  /** Host and port people use, when one is set. */
  publicAddr: string | undefined;
  /** Where programs that speak SSH come; nothing while that door is shut. */
  ssh(): SshAddresses | undefined;
  /** Of the key by which that door is known. */
  sshFingerprint(): Promise<string>;
  auth(): Promise<
    Pick<PageConfig['auth'], 'second_factor' | 'allowPasswordless' | 'preferredLocalMfa' | 'localConnectorName'>
  >;
  connectors(): Promise<readonly { provider: { name: string; type: 'oidc' | 'saml' | 'github' }; display: string }[]>;
  consoleBuild: string;
  /** The host passkeys are bound to. */
  passkeyHost: string;
}

/** Names a local sign-in may be asked for by, beside connectors. */
const LOCAL_CONNECTORS = new Set(['local', 'passwordless', 'headless']);

export function pingHandlers(deps: PingDeps): Handlers<typeof pingRoutes> {
  const found = () => ({
    proxy: {
      kube: { enabled: false },
      ssh: { ...(deps.publicAddr ? { public_addr: deps.publicAddr } : {}), ...sshDoor(deps.ssh()) },
      db: {},
      tls_routing_enabled: false,
    },
    server_version: deps.version,
    min_client_version: deps.version,
    cluster_name: deps.clusterName,
    automatic_upgrades: false,
  });
  const pong = async (connector?: string): Promise<Pong> => {
    const { second_factor, allowPasswordless, preferredLocalMfa, localConnectorName } = await deps.auth();
    return {
      auth: {
        type: 'local',
        second_factor,
        preferred_local_mfa: preferredLocalMfa,
        allow_passwordless: allowPasswordless,
        allow_headless: allowPasswordless && deps.ssh() !== undefined,
        local: { name: connector ?? (localConnectorName || 'local') },
        webauthn: { rp_id: deps.passkeyHost },
        private_key_policy: 'none',
        has_motd: false,
      },
      ...found(),
      gatehouse: { consoleBuild: deps.consoleBuild, ...(await knownBy(deps)) },
    };
  };
  return {
    ping: () => pong(),
    async pingConnector({ params: { connector } }) {
      if (LOCAL_CONNECTORS.has(connector)) return pong(connector);
      const known = (await deps.connectors()).find(({ provider }) => provider.name === connector);
      if (!known) throw new AppError('bad_request', `connector '${connector}' is not known`);
      const { name, type } = known.provider;
      const { auth, ...rest } = await pong();
      const { local: _, ...shared } = auth;
      return { ...rest, auth: { ...shared, type, [type]: { name, display: known.display } } };
    },
    find: async () => found(),
    motd: async () => ({ Text: '' }),
  };
}

function sshDoor(addresses: SshAddresses | undefined) {
  if (!addresses) return {};
  const { listen, publicAddr } = addresses;
  return { listen_addr: listen, ...(publicAddr ? { ssh_public_addr: publicAddr } : {}) };
}

async function knownBy({ ssh, sshFingerprint }: PingDeps): Promise<{ sshFingerprint?: string }> {
  if (!ssh()) return {};
  // A key that cannot be read shuts that door; nobody is to be kept from signing in by it.
  const told = await sshFingerprint().catch(() => undefined);
  return told === undefined ? {} : { sshFingerprint: told };
}
