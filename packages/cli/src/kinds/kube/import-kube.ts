/** Makes what the gateway acts by in a cluster: an account that may act as people, and a token of it. With the rights of whoever runs it, who keeps their own credential. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  accountManifests,
  collectionOf,
  type KubeManifest,
  tokenSecret,
} from '@gatehouse/contract/kinds/kube/manifests';
import { printable } from '@gatehouse/contract/std/printable';
import { z } from 'zod';
import { Failure } from '../../runtime/failure.ts';
import type { ApiAnswer, ApiServer } from './api-server.ts';
import { decoded } from './kube-context.ts';

/** Clusters fill a token in within a second; one that is busy takes longer. */
const TOKEN_WITHIN_MS = 15_000;
const LOOK_MS = 200;

const status = z.object({ message: z.string() });
const filled = z.object({ data: z.object({ token: z.string().min(1) }) });

export async function makeAccount(
  api: ApiServer,
  { groups, namespace }: { groups: readonly string[]; namespace: string },
  tell: (line: string) => void,
): Promise<string> {
  for (const manifest of accountManifests(groups, namespace)) tell(await put(api, manifest));
  const secret = tokenSecret(namespace);
  tell(await put(api, secret));
  const path = `${collectionOf(secret)}/${secret.metadata.name}`;
  for (let left = TOKEN_WITHIN_MS / LOOK_MS; left > 0; left -= 1) {
    const answer = await api.ask('GET', path);
    if (answer.status >= 300) throw refused(answer, `read ${nameOf(secret)}`);
    const { data } = filled.safeParse(answer.body);
    if (data) return decoded(data.data.token);
    await wait(LOOK_MS);
  }
  throw new Failure(
    'target',
    `the cluster does not fill a token into ${nameOf(secret)}: look whether its controllers run, and try again`,
  );
}

/** What is there already stays; only which groups may be taken is written anew. */
async function put(api: ApiServer, manifest: KubeManifest): Promise<string> {
  const made = await api.ask('POST', collectionOf(manifest), manifest);
  if (made.status < 300) return `made ${nameOf(manifest)}`;
  if (made.status !== 409) throw refused(made, `make ${nameOf(manifest)}`);
  if (manifest.kind !== 'ClusterRole') return `kept ${nameOf(manifest)}`;
  const path = `${collectionOf(manifest)}/${manifest.metadata.name}`;
  const changed = await api.ask('PATCH', path, { rules: manifest.rules });
  if (changed.status < 300) return `changed ${nameOf(manifest)}`;
  throw refused(changed, `change ${nameOf(manifest)}`);
}

function nameOf({ kind, metadata: { name, namespace } }: KubeManifest): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

function refused({ status: code, body }: ApiAnswer, what: string): Failure {
  const { data } = status.safeParse(body);
  const words = `the cluster does not let you ${what} (${code}${data ? `: ${printable(data.message)}` : ''})`;
  return new Failure(
    'target',
    code === 401 || code === 403
      ? `${words}: use a context that may make roles, or --as-is with a token that may act as people`
      : words,
  );
}
