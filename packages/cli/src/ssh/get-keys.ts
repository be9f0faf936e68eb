/** Gets a key of this sign-in certified, so that ssh comes in by it for as long as the sign-in lasts. */
import { generateKeyPairSync } from 'node:crypto';
import { hostname } from 'node:os';
import { printable } from '@gatehouse/contract/std/printable';
import { isSshCluster } from '@gatehouse/contract/std/ssh-cluster';
import type { Send } from '@gatehouse/contract/wire/client';
import type { Io } from '../command.ts';
import { readProfile } from '../gateway/profile.ts';
import { Failure } from '../runtime/failure.ts';
import {
  chosenOf,
  type HeldCluster,
  heldCluster,
  heldClusters,
  readPublicKey,
  removeKeys,
  writeKeys,
} from './key-folder.ts';
import { findSshDoor, type SshDoor, UnfitDoor } from './ssh-door.ts';
import { writeIncluded } from './write-config.ts';

/** A certificate that has less than this left is replaced by the next command. */
export const RENEW_BEFORE_MS = 15 * 60_000;
const MAX_AUTHORITIES = 16;

export interface GatewayInUse {
  origin: string;
  send: Send;
}

/** Nothing where the gateway takes no programs that speak SSH, unless they are led over the port of browsers. `isNew`: what was there before is replaced. */
export async function getSshKeys(
  io: Io,
  { origin, send }: GatewayInUse,
  isNew: boolean,
  overHttps = [...heldClusters(io), ...chosenOf(io, origin)].some((each) => each.origin === origin && each.overHttps),
): Promise<HeldCluster | undefined> {
  const door = await findSshDoor(send, origin, overHttps).catch((error: unknown) => {
    if (error instanceof UnfitDoor) throw new Failure('failed', `ssh cannot be led to this gateway: ${error.message}`);
    throw error;
  });
  if (!door) return undefined;
  requireOwn(io, door, origin);
  const before = isNew ? undefined : heldCluster(io, door.cluster);
  const leaves = await leavesOf(io, { origin, send }, door);
  const isSame = before?.leaves.join() === leaves.join();
  const isGood = before && isSame && before.host === door.host && before.port === door.port && !endsSoon(before);
  if (isGood && readPublicKey(io, door.cluster) !== undefined) return before;
  const made = await certified(io, { origin, send }, { ...door, leaves }, before !== undefined);
  await writeIncluded(io);
  return made;
}

const MAX_LEAVES = 500;

/** Clusters behind this gateway whose servers ssh may be led to. A name that another gateway has here stays that one's. */
async function leavesOf(io: Io, { origin, send }: GatewayInUse, { cluster }: SshDoor): Promise<string[]> {
  const [{ call, CallError }, { clusterRoutes }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/contract/console/clusters'),
  ]);
  const taken = new Set([cluster]);
  for (const held of heldClusters(io))
    if (held.origin !== origin) for (const name of [held.cluster, ...held.leaves]) taken.add(name);
  const sites = await call(send, clusterRoutes.sites, {}).catch((error: unknown) => {
    // A token for connecting alone may not look round.
    if (error instanceof CallError && error.code === 'denied') return [];
    throw error;
  });
  const names = sites.map(({ name }) => name.toLowerCase());
  return [...new Set(names)]
    .filter((name) => isSshCluster(name) && !taken.has(name))
    .slice(0, MAX_LEAVES)
    .sort();
}

/** Takes away what `getSshKeys` has written for this gateway. */
export async function dropSshKeys(io: Io, origin: string): Promise<void> {
  const own = heldClusters(io).filter((each) => each.origin === origin);
  if (own.length === 0) return;
  for (const { cluster } of own) await removeKeys(io, cluster);
  await writeIncluded(io);
}

export function endsSoon({ expires }: HeldCluster): boolean {
  return !(Date.parse(expires) - Date.now() > RENEW_BEFORE_MS);
}

async function certified(
  io: Io,
  { origin, send }: GatewayInUse,
  door: SshDoor & { leaves: string[] },
  keepsKey: boolean,
): Promise<HeldCluster> {
  const [{ call }, { sshCertificateRoutes }, { ed25519Blob, publicKeyLine, parsePublicKey }, { opensshPrivateKey }] =
    await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/identity/ssh-certificates'),
      import('@gatehouse/gateway/platform/crypto/ssh/public-key'),
      import('./openssh-key.ts'),
    ]);
  const kept = keepsKey ? readPublicKey(io, door.cluster) : undefined;
  const key = kept === undefined ? generateKeyPairSync('ed25519').privateKey : undefined;
  const publicKey = kept ?? publicKeyLine(ed25519Blob(key!));
  const answer = await call(send, sshCertificateRoutes.issue, { body: { pub_key: publicKey } });
  const authorities = answer.host_authorities.slice(0, MAX_AUTHORITIES).map((line) => {
    // Written anew from what it says: what came with it could be further lines.
    return publicKeyLine(parsePublicKey(line).blob);
  });
  if (Number.isNaN(Date.parse(answer.expires))) throw new Failure('failed', 'the gateway certified for no time');
  const keys = {
    ...{ ...door, origin, expires: new Date(answer.expires).toISOString(), authorities },
    certificate: await ownCertificate(answer.cert, publicKey),
    ...(key ? { privateKey: await opensshPrivateKey(key, `gatehouse ${hostname()}`) } : {}),
  };
  return await writeKeys(io, keys, publicKey);
}

/** The line, written anew, once it certifies the key that was sent. */
async function ownCertificate(line: string, publicKey: string): Promise<string> {
  const [{ parseCertificate }, { publicKeyLine }] = await Promise.all([
    import('@gatehouse/gateway/platform/crypto/ssh/certificate'),
    import('@gatehouse/gateway/platform/crypto/ssh/public-key'),
  ]);
  const blob = Buffer.from(line.trim().split(/\s+/)[1] ?? '', 'base64');
  try {
    const { type, subject } = parseCertificate(blob);
    if (publicKeyLine(subject) !== publicKey) throw new Error('another key');
    return `${type} ${blob.toString('base64')}`;
  } catch {
    throw new Failure('failed', 'what the gateway sent is no certificate of the key of this command line');
  }
}

/** Two gateways may call their clusters the same. Whoever comes second does not get what ssh sends to the first. */
function requireOwn(io: Io, { cluster }: SshDoor, origin: string): void {
  const before = heldCluster(io, cluster);
  if (!before || before.origin === origin) return;
  const other = readProfile(io).gateways[before.origin];
  if (!other || !(Date.parse(other.expires) > Date.now())) return;
  throw new Failure(
    'conflict',
    `ssh reaches servers of '${printable(cluster)}' through ${printable(before.origin)}, which calls its cluster the same: gatehouse logout ${printable(before.origin)} first`,
  );
}
