/** What kubeconfig files are told of a cluster behind the gateway, and how ours is known among what others wrote. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { connect, getCACertificates, rootCertificates } from 'node:tls';
import { KUBE_DOOR, kubeDoorName } from '@gatehouse/contract/kinds/kube/kube-pass';
import type { Io } from '../../command.ts';
import { Failure } from '../../runtime/failure.ts';
import { readPluginArgs } from './credentials.ts';

const TIMEOUT_MS = 10_000;
const PROGRAM = 'gatehouse';

export interface EntryChoice {
  origin: string;
  name: string;
  /** A leaf of the gateway, which has it. */
  cluster?: string;
  namespace?: string;
  as?: string;
  asGroups?: readonly string[];
}

/** How a client trusts the gateway: by authorities everybody knows where nothing is said. */
export interface GatewayTrust {
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: true;
}

/** Told apart from contexts of the same cluster that lead elsewhere. */
export function entryName({ origin, name, cluster }: Pick<EntryChoice, 'origin' | 'name' | 'cluster'>): string {
  return `${kubeDoorName(name, cluster)}@${new URL(origin).host}`;
}

export function entryOf(io: Io, choice: EntryChoice, trust: GatewayTrust) {
  const { origin, name, cluster, namespace, as, asGroups = [] } = choice;
  const entry = entryName(choice);
  return {
    // Without TLS, clients of Kubernetes send no credential, also on one machine: a gateway answers them by it there.
    cluster: { server: `${origin.replace(/^http:/, 'https:')}${KUBE_DOOR}${kubeDoorName(name, cluster)}`, ...trust },
    user: {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        command: commandFor(io),
        args: pluginArgs(origin, name, cluster),
        interactiveMode: 'IfAvailable',
        provideClusterInfo: false,
        installHint: `${PROGRAM} is missing: it is the command line of the gateway at ${origin}`,
      },
      ...(as === undefined ? {} : { as }),
      ...(asGroups.length === 0 ? {} : { 'as-groups': [...asGroups] }),
    },
    context: { cluster: entry, user: entry, ...(namespace === undefined ? {} : { namespace }) },
  };
}

const pluginArgs = (origin: string, name: string, cluster: string | undefined) => [
  ...['kube', 'credentials', '--gateway', origin],
  ...(cluster === undefined ? [] : ['--cluster', cluster]),
  name,
];

/** The gateway and the cluster that a user of a kubeconfig file stands for; undefined for those of others. */
export function readOwnUser(user: unknown): Pick<EntryChoice, 'origin' | 'name' | 'cluster'> | undefined {
  const { exec } = (user ?? {}) as { exec?: { args?: unknown } | null };
  const args: unknown = exec?.args;
  if (!Array.isArray(args)) return undefined;
  if (!args.every((each) => typeof each === 'string')) return undefined;
  const { gateway: origin, name, cluster } = readPluginArgs(args) ?? {};
  if (origin === undefined || name === undefined) return undefined;
  return { origin, name, ...(cluster === undefined ? {} : { cluster }) };
}

/** By its bare name where the shell finds it: the place of a program changes with its version. */
function commandFor({ env }: Io): string {
  const isInPath = (env.PATH ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && isProgram(join(folder, PROGRAM)));
  if (isInPath) return PROGRAM;
  const own = env.GATEHOUSE_ROOT ? join(env.GATEHOUSE_ROOT, PROGRAM) : undefined;
  if (own !== undefined && isProgram(own)) return own;
  const [, script = ''] = process.argv;
  try {
    return realpathSync(script);
  } catch {
    return PROGRAM;
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What a client has to be told so that it believes the gateway as this command does. */
export async function trustOf(origin: string): Promise<GatewayTrust> {
  const { protocol, hostname, port } = new URL(origin);
  // Only on this machine: what has no TLS elsewhere is not talked to at all. No more is believed than without it.
  if (protocol === 'http:') return { 'insecure-skip-tls-verify': true };
  const at = { host: hostname.replaceAll(/^\[|\]$/g, ''), port: Number(port || '443') };
  if (await isVouchedFor(at, getCACertificates('system'))) return {};
  const extra = getCACertificates('extra');
  // Those that Node brings along, where the system has none of its own.
  const usual = extra.length > 0 && (await isVouchedFor(at, extra)) ? extra : rootCertificates;
  if (usual === rootCertificates && !(await isVouchedFor(at, rootCertificates)))
    throw new Failure(
      'unreachable',
      `nobody vouches for the certificate of ${origin}: name its authority in NODE_EXTRA_CA_CERTS`,
    );
  return { 'certificate-authority-data': Buffer.from(`${usual.join('\n')}\n`).toString('base64') };
}

function isVouchedFor({ host, port }: { host: string; port: number }, ca: readonly string[]): Promise<boolean> {
  if (ca.length === 0) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ca: [...ca], servername: /[^\d.:]/.test(host) ? host : '' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.setTimeout(TIMEOUT_MS, () => {
      socket.destroy();
      reject(new Failure('unreachable', `no gateway answers at ${host}:${port}`));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      socket.destroy();
      // What the network says is no word about the certificate.
      if (error.syscall === undefined) resolve(false);
      else reject(new Failure('unreachable', `no gateway answers at ${host}:${port}: ${error.message}`));
    });
  });
}
