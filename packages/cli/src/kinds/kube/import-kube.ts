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
  { groups, namespace, isAnew }: { groups: readonly string[]; namespace: string; isAnew: boolean },
  tell: (line: string) => void,
): Promise<string> {
  for (const manifest of accountManifests(groups, namespace)) tell(await put(api, manifest, isAnew));
  const secret = tokenSecret(namespace);
  tell(await put(api, secret, isAnew));
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

/** What is there already stays, and so do the groups that may be taken, since another record may live by them; unless they are to be as they are named. */
async function put(api: ApiServer, manifest: KubeManifest, isAnew: boolean): Promise<string> {
  const made = await api.ask('POST', collectionOf(manifest), manifest);
  if (made.status < 300) return `made ${nameOf(manifest)}`;
  if (made.status !== 409) throw refused(made, `make ${nameOf(manifest)}`);
  if (manifest.kind !== 'ClusterRole') return `kept ${nameOf(manifest)}`;
  const path = `${collectionOf(manifest)}/${manifest.metadata.name}`;
  const before = isAnew ? undefined : (await api.ask('GET', path)).body;
  const changed = await api.ask('PATCH', path, { rules: withGroupsOf(before, manifest) });
  if (changed.status < 300) return `changed ${nameOf(manifest)}`;
  throw refused(changed, `change ${nameOf(manifest)}`);
}

const role = z.object({
  rules: z.array(z.looseObject({ resources: z.array(z.string()), resourceNames: z.array(z.string()).optional() })),
});

/** Of a role that was written anew, with the groups that the one before named. */
function withGroupsOf(before: unknown, after: KubeManifest): unknown {
  const isGroups = ({ resources }: { resources: readonly string[] }) => resources.includes('groups');
  const had = (role.safeParse(before).data?.rules ?? []).filter(isGroups).flatMap((rule) => rule.resourceNames ?? []);
  return role
    .parse(after)
    .rules.map((rule) =>
      isGroups(rule) && rule.resourceNames
        ? { ...rule, resourceNames: [...new Set([...had, ...rule.resourceNames])] }
        : rule,
    );
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
