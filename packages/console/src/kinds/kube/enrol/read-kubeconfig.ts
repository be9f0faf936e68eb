/** Takes out of a kubeconfig what the gateway needs to reach one cluster, and says what it could not use. The text is somebody's, and may be anything. */
import type { NewKubeCluster } from '@gatehouse/contract/kinds/kube/kubernetes';
import { parse } from 'yaml';
import { z } from 'zod';

/** Longer than any that somebody writes. */
const MAX_TEXT = 1024 * 1024;

/** Why a context cannot be imported as it is. */
export type ImportFault =
  | 'unreadable'
  | 'no-contexts'
  | 'no-context'
  | 'no-cluster'
  | 'no-server'
  | 'plugin'
  | 'proxy'
  | 'files'
  | 'password'
  | 'no-credential'
  | 'not-pem';

export type Imported = Pick<
  NewKubeCluster,
  'server' | 'ca' | 'serverName' | 'insecureSkipVerify' | 'credential' | 'namespaces'
>;

export type ReadKubeconfig = { contexts: readonly string[]; current: string } | { fault: ImportFault };
export type ReadContext = { imported: Imported } | { fault: ImportFault };

const text = z.string().optional();
const entry = z.unknown().optional();

const config = z.object({
  'current-context': z.string().catch(''),
  contexts: z.array(z.object({ name: z.string(), context: entry })).catch([]),
  clusters: z.array(z.object({ name: z.string(), cluster: entry })).catch([]),
  users: z.array(z.object({ name: z.string(), user: entry })).catch([]),
});

const clusterEntry = z.looseObject({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': z.boolean().optional(),
  'proxy-url': text,
});

const userEntry = z.looseObject({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  username: text,
  password: text,
  exec: z.unknown().optional(),
  'auth-provider': z.unknown().optional(),
});

const contextEntry = z.looseObject({
  cluster: z.string(),
  user: z.string().catch(''),
  namespace: z.string().catch(''),
});

export function readKubeconfig(given: string): ReadKubeconfig {
  const read = readConfig(given);
  if (!read) return { fault: 'unreadable' };
  const contexts = read.contexts.map(({ name }) => name);
  if (contexts.length === 0) return { fault: 'no-contexts' };
  const current = read['current-context'];
  return { contexts, current: contexts.includes(current) ? current : (contexts[0] ?? '') };
}

export function readContext(given: string, wanted: string): ReadContext {
  const read = readConfig(given);
  if (!read) return { fault: 'unreadable' };
  const context = contextEntry.safeParse(read.contexts.find(({ name }) => name === wanted)?.context).data;
  if (!context) return { fault: 'no-context' };
  const cluster = clusterEntry.safeParse(read.clusters.find(({ name }) => name === context.cluster)?.cluster).data;
  if (!cluster) return { fault: 'no-cluster' };
  const user = userEntry.safeParse(read.users.find(({ name }) => name === context.user)?.user).data ?? {};
  if (cluster['proxy-url']) return { fault: 'proxy' };
  if (!cluster.server) return { fault: 'no-server' };
  const data = cluster['certificate-authority-data'];
  if (cluster['certificate-authority'] && !data) return { fault: 'files' };
  const ca = data === undefined ? '' : fromBase64(data);
  const credential = credentialOf(user);
  if (typeof credential === 'string') return { fault: credential };
  if (ca === undefined) return { fault: 'not-pem' };
  return {
    imported: {
      server: cluster.server,
      ca,
      serverName: cluster['tls-server-name'] ?? '',
      insecureSkipVerify: cluster['insecure-skip-tls-verify'] ?? false,
      namespaces: context.namespace === '' || context.namespace === 'default' ? [] : [context.namespace],
      credential,
    },
  };
}

function credentialOf(user: z.output<typeof userEntry>): NonNullable<Imported['credential']> | ImportFault {
  if (user.exec !== undefined || user['auth-provider'] !== undefined) return 'plugin';
  if (user.token) return { token: user.token };
  const [cert, key] = [user['client-certificate-data'], user['client-key-data']];
  if (cert && key) {
    const [certText, keyText] = [fromBase64(cert), fromBase64(key)];
    return certText === undefined || keyText === undefined ? 'not-pem' : { cert: certText, key: keyText };
  }
  if (user.tokenFile || user['client-certificate'] || user['client-key']) return 'files';
  return user.username || user.password ? 'password' : 'no-credential';
}

function readConfig(given: string): z.output<typeof config> | undefined {
  if (given.length > MAX_TEXT) return undefined;
  try {
    return config.safeParse(parse(given, { prettyErrors: false, logLevel: 'error' })).data;
  } catch {
    return undefined;
  }
}

/** Nothing where it is no base64 of a text. */
function fromBase64(data: string): string | undefined {
  try {
    return atob(data.replaceAll(/\s/g, ''));
  } catch {
    return undefined;
  }
}
