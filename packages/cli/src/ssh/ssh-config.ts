/** The configuration by which ssh, and what runs it, comes to servers through a gateway. */
import { isSshCluster } from '@gatehouse/contract/std/ssh-cluster';
import { shellQuoted } from '../output/shell-quoted.ts';
import { isHostName, type SshDoor } from './ssh-door.ts';

export interface SshConfigPlace {
  /** As it stands in the configuration: of the folder that holds a folder for each cluster. */
  folder: string;
  /** The same on this machine, for how long it is. */
  longFolder: string;
  platform: NodeJS.Platform;
  /** Of the ssh that is here, about the way keys are exchanged with gateways. */
  warnsOfExchange: boolean;
}

/** A file of lines and patterns: what would break one is not written. */
export class UnfitPath extends Error {}

/** What `sun_path` holds on the smallest system, without its last zero; ssh adds 17 of its own while it makes the socket. */
const MAX_SOCKET_BYTES = 103 - 17;
const HASH_CHARACTERS = 40;

export const alias = (cluster: string) => `gatehouse-${cluster}`;

/** `overHttps`: the origin of the gateway, where ssh comes by its port and not by the SSH door. */
export function sshConfig(
  { cluster, host, port, leaves }: SshDoor & { leaves: readonly string[] },
  place: SshConfigPlace,
  overHttps?: string,
): string {
  if (![cluster, ...leaves].every(isSshCluster) || !isHostName(host)) throw new UnfitPath(`${cluster} ${host}`);
  const servers = [cluster, ...leaves].map((name) => `*.${name}`).join(' ');
  const file = (name: string) => pathWord(`${place.folder}/${cluster}/${name}`);
  const always = [
    `  UserKnownHostsFile ${file('known_hosts')}`,
    '  Ciphers aes128-gcm@openssh.com,aes256-gcm@openssh.com',
    // Only for who knows it: `IgnoreUnknown` would take the place of this user's own.
    ...(place.warnsOfExchange ? ['  WarnWeakCrypto no'] : []),
    '',
  ];
  if (overHttps !== undefined)
    return [`Host ${servers}`, `  ProxyCommand ${proxyCommand(overHttps)}`, ...always].join('\n');
  return [
    `Host ${alias(cluster)}`,
    `  HostName ${host}`,
    `  Port ${port}`,
    ...(sharesConnections(place)
      ? ['  ControlMaster auto', `  ControlPath ${pathWord(place.folder, '/%C')}`, '  ControlPersist 10m']
      : []),
    `Host ${servers}`,
    `  ProxyJump ${alias(cluster)}`,
    `Host ${alias(cluster)} ${servers}`,
    `  IdentityFile ${file('id')}`,
    `  CertificateFile ${file('id-cert.pub')}`,
    '  IdentitiesOnly yes',
    ...always,
  ].join('\n');
}

/** A shell reads it: an address that is more than one is not written. */
function proxyCommand(origin: string): string {
  if (!/^https?:\/\/[\w.:[\]-]+$/.test(origin)) throw new UnfitPath(origin);
  return `gatehouse proxy ssh --gateway ${shellQuoted(origin)} %h`;
}

/** ssh for Windows knows no such sockets, and a path that is too long for one ends every connection. */
function sharesConnections({ longFolder, platform }: SshConfigPlace): boolean {
  return platform !== 'win32' && Buffer.byteLength(longFolder) + 1 + HASH_CHARACTERS <= MAX_SOCKET_BYTES;
}

/** As one word. `%` begins what ssh puts in, `${` a variable, and patterns stand in `Include`: there is no writing around these. */
export function pathWord(path: string, behind = ''): string {
  if (/[\p{Cc}"\\*?[\]%]|\$\{/u.test(path)) throw new UnfitPath(path);
  const word = `${path}${behind}`;
  return /[\s#'=]/.test(word) ? `"${word}"` : word;
}

/** With the line before everything else, where settings hold for every host. Every byte of the rest stays. */
export function withInclude(before: Buffer, line: string): Buffer {
  const lines = before.toString('latin1').split(/\r?\n/);
  const first = lines.findIndex((each) => /^\s*(host|match)\b/i.test(each));
  const isThere = lines.slice(0, first < 0 ? lines.length : first).some((each) => each.trim() === line);
  return isThere ? before : Buffer.concat([Buffer.from(`${line}\n`), before]);
}
