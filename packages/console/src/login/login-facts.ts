/** The few facts of the page's configuration that the login page shows. Read by hand: the schema would bring zod along. */

export interface LoginFacts {
  cluster: string;
  version: string;
  /** False when only single sign-on is let in. */
  passwords: boolean;
}

export function readLoginFacts(config: unknown): LoginFacts {
  const { auth, proxyCluster, gatehouse } = asRecord(config);
  const { version } = asRecord(gatehouse);
  return {
    cluster: typeof proxyCluster === 'string' ? proxyCluster : 'localhost',
    version: typeof version === 'string' ? version : '',
    passwords: asRecord(auth).localAuthEnabled !== false,
  };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
