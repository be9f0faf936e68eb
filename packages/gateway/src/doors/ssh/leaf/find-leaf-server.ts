/** Which server of another cluster a program means: `root@web-1+east`, or by a jump `web-1.east`, which is `web-1+east` where nothing else may be meant. */
import { readRemoteName } from '../../../identity/stores/remote-name.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { SshDoorDeps } from '../door-deps.ts';
import { readDoorName, readJump } from '../door-name.ts';
import { findServer } from '../door-words.ts';
import type { FoundServer } from '../leaf-target.ts';

export type LeafFinder = Pick<SshDoorDeps, 'clusters' | 'clusterName' | 'kinds'>;

interface Named {
  /** What the program calls itself. */
  name: string;
  /** Where it jumped to; undefined: its name says where to. */
  host: string | undefined;
}

/** Undefined: one of this cluster is meant, or nothing that is known. A cluster that the actor does not see is not known. */
export async function findLeafServer(
  deps: LeafFinder,
  actor: Actor,
  { name, host }: Named,
): Promise<FoundServer | undefined> {
  // Who came from another cluster goes no further than this one.
  if (!deps.clusters.hasLeaves() || readRemoteName(actor.username)) return undefined;
  return host === undefined ? await byName(deps, actor, name) : await byJump(deps, actor, name, host);
}

async function byName(deps: LeafFinder, actor: Actor, name: string): Promise<FoundServer | undefined> {
  const named = readDoorName(name, deps.clusterName);
  const [whole = ''] = named?.servers ?? [];
  return named && (await byPlus(deps, actor, named.login, whole));
}

async function byPlus(deps: LeafFinder, actor: Actor, login: string, whole: string): Promise<FoundServer | undefined> {
  const plus = whole.lastIndexOf('+');
  if (plus <= 0) return undefined;
  const found = await deps.clusters.find(whole.slice(plus + 1), actor);
  if (found?.is !== 'leaf') return undefined;
  return { leaf: found.leaf, cluster: found.name, server: whole.slice(0, plus), login };
}

async function byJump(deps: LeafFinder, actor: Actor, login: string, host: string): Promise<FoundServer | undefined> {
  const named = readJump(login, host, deps.clusterName);
  if (!named) return undefined;
  if (host.includes('+')) return await byPlus(deps, actor, login, host);
  for (let dot = host.indexOf('.', 1); dot > 0 && dot < host.length - 1; dot = host.indexOf('.', dot + 1)) {
    const found = await deps.clusters.find(host.slice(dot + 1), actor);
    if (found?.is !== 'leaf') continue;
    // A server of this cluster may be called as those of another end.
    if (await isOwn(deps, actor, named.servers)) return undefined;
    return { leaf: found.leaf, cluster: found.name, server: host.slice(0, dot), login };
  }
  return undefined;
}

async function isOwn(deps: LeafFinder, actor: Actor, names: readonly string[]): Promise<boolean> {
  try {
    await findServer(deps, actor, names);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false;
    throw error;
  }
}
