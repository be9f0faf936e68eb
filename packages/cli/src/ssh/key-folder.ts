/** Keys and certificates by which ssh comes to gateways: a folder for each cluster, which this user alone can open. */
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { isSshCluster } from '@gatehouse/contract/std/ssh-cluster';
import { z } from 'zod';
import type { Io } from '../command.ts';
import { ownFile } from '../gateway/own-file.ts';
import { writeOwn } from '../output/write-own.ts';
import { isHostName, type SshDoor } from './ssh-door.ts';

const held = z.object({
  cluster: z.string().refine(isSshCluster),
  host: z.string().refine(isHostName),
  port: z.number().int().min(1).max(65_535),
  /** Whose servers these are: another gateway that calls itself the same does not get to be them. */
  origin: z.string(),
  expires: z.string(),
  /** Whether the configuration of ssh leads there; it never does before this user has said so. */
  isIncluded: z.boolean(),
  /** Whether it leads over the port of browsers, by a program for each connection. */
  overHttps: z.boolean().default(false),
  /** Clusters that are reached through it. */
  leaves: z.array(z.string().refine(isSshCluster)).default([]),
});
export type HeldCluster = z.output<typeof held>;

export interface NewKeys extends SshDoor {
  origin: string;
  expires: string;
  /** Undefined: the one that is there is certified anew. */
  privateKey?: string;
  /** Each a line. */
  certificate: string;
  authorities: readonly string[];
  leaves: string[];
}

export const sshFolder = (io: Io) => ownFile(io, 'ssh');
const fileOf = (io: Io, cluster: string, name: string) => join(sshFolder(io), cluster, name);

export function heldClusters(io: Io): HeldCluster[] {
  let names: string[];
  try {
    names = readdirSync(sshFolder(io));
  } catch {
    return [];
  }
  return names
    .filter(isSshCluster)
    .map((name) => heldCluster(io, name))
    .filter((cluster) => cluster !== undefined);
}

export function heldCluster(io: Io, name: string): HeldCluster | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(io, name, 'gateway.json'), 'utf8');
  } catch {
    return undefined;
  }
  const found = held.safeParse(parseJson(text)).data;
  return found?.cluster === name ? found : undefined;
}

export function readPublicKey(io: Io, cluster: string): string | undefined {
  try {
    return readFileSync(fileOf(io, cluster, 'id.pub'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** What this user has led ssh to, also while nobody is signed in there: it is asked once, and for that name of that gateway alone. */
const chosen = z.object({ origin: z.string(), cluster: z.string(), overHttps: z.boolean() });
type Chosen = z.output<typeof chosen>;
const MAX_CHOSEN = 100;
const chosenFile = (io: Io) => join(sshFolder(io), 'chosen.json');

export function chosenOf(io: Io, origin: string): Chosen[] {
  return allChosen(io).filter((each) => each.origin === origin);
}

function allChosen(io: Io): Chosen[] {
  try {
    return z.array(chosen).safeParse(parseJson(readFileSync(chosenFile(io), 'utf8'))).data ?? [];
  } catch {
    return [];
  }
}

async function choose(io: Io, { origin, cluster, overHttps }: Chosen): Promise<void> {
  const others = allChosen(io).filter((each) => each.origin !== origin || each.cluster !== cluster);
  const all = [...others, { origin, cluster, overHttps }].slice(-MAX_CHOSEN);
  await writeOwn(chosenFile(io), `${JSON.stringify(all, undefined, 2)}\n`);
}

export async function writeKeys(io: Io, keys: NewKeys, publicKey: string): Promise<HeldCluster> {
  const { cluster, host, port, origin, expires, privateKey, certificate, authorities, leaves } = keys;
  const before = heldCluster(io, cluster);
  const was = chosenOf(io, origin).find((each) => each.cluster === cluster);
  const put = (name: string, text: string) => writeOwn(fileOf(io, cluster, name), text);
  await mkdir(join(sshFolder(io), cluster), { recursive: true, mode: 0o700 });
  for (const folder of [sshFolder(io), join(sshFolder(io), cluster)]) await chmod(folder, 0o700);
  if (privateKey !== undefined) {
    // Broken off here, ssh has a key without a certificate, and never one with that of another.
    await rm(fileOf(io, cluster, 'id-cert.pub'), { force: true });
    await put('id', privateKey);
    await put('id.pub', `${publicKey}\n`);
  }
  await put('id-cert.pub', `${certificate}\n`);
  const names = [host, `[${host}]:${port}`, ...[cluster, ...leaves].map((name) => `*.${name}`)].join(',');
  await put('known_hosts', authorities.map((key) => `@cert-authority ${names} ${key}\n`).join(''));
  const now: HeldCluster = {
    ...{ cluster, host, port, origin, expires, leaves },
    isIncluded: before?.origin === origin ? before.isIncluded : was !== undefined,
    overHttps: before?.origin === origin ? before.overHttps : was?.overHttps === true,
  };
  await put('gateway.json', `${JSON.stringify(now, undefined, 2)}\n`);
  return now;
}

export async function setIncluded(io: Io, cluster: HeldCluster): Promise<void> {
  const text = `${JSON.stringify({ ...cluster, isIncluded: true }, undefined, 2)}\n`;
  await writeOwn(fileOf(io, cluster.cluster, 'gateway.json'), text);
  await choose(io, cluster);
}

export async function removeKeys(io: Io, cluster: string): Promise<void> {
  await rm(join(sshFolder(io), cluster), { recursive: true, force: true });
}
