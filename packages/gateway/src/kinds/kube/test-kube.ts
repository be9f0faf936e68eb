/** Tries a Kubernetes cluster the way a request would, step by step: access, the way, TCP, TLS, its version, acting as somebody, pods. */
import { kubeNamespace } from '@gatehouse/contract/kinds/kube/kube-spec';
import { z } from 'zod';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Reach } from '../../reach/reach.ts';
import { mayNot, requireUnlocked, takeFactor, takeFind } from '../../sessions/connection-tests/access-steps.ts';
import type { ConnectionTest } from '../../sessions/connection-tests/connection-test.ts';
import type { Step, Steps } from '../../sessions/connection-tests/take-steps.ts';
import type { KubeIdentity } from './engine/request-headers.ts';
import type { KubeCredentials } from './kube-credentials.ts';
import { mayBe, whoIn } from './kube-who.ts';
import { findSeenKube, type ListedKube, type SeenKubeDeps, wrongRecord } from './listed-kube.ts';
import { type Hop, tryKube } from './try-kube.ts';

export interface TestKubeDeps extends SeenKubeDeps {
  access: Pick<AccessControl, 'of' | 'decide' | 'lockFor'>;
  reach: Pick<Reach, 'way'>;
  credentials: KubeCredentials;
}

/** Clients of the wire send empty texts for what they do not know. */
const asked = z.object({
  kubernetes_namespace: z.union([z.literal('').transform(() => 'default'), kubeNamespace]).default('default'),
  kubernetes_impersonation: z
    .object({ kubernetes_user: z.string().optional(), kubernetes_groups: z.array(z.string()).optional() })
    .nullish(),
});

export async function testKube(deps: TestKubeDeps, steps: Steps, test: ConnectionTest): Promise<void> {
  const { actor, session, timeoutMs, signal } = test;
  const { kubernetes_namespace: namespace, kubernetes_impersonation: wish } = parseInput(asked, test.given, 'body');
  const names = { user: wish?.kubernetes_user, groups: wish?.kubernetes_groups };
  const { cluster, who } = await passAccess(deps, steps, test, names);
  const tried = tryKube(deps.reach, {
    ...{ cluster, who: { user: actor.username, session }, timeoutMs, signal },
    async credential(within) {
      // Dialling takes a while: what was allowed before may be locked by now.
      requireBe(deps, test, cluster, who);
      return await deps.credentials.of(cluster, within);
    },
  });
  const take = (step: Step<Hop>['step'], type: Step<Hop>['type'], run: () => Promise<Hop>) =>
    steps.take({ step, type, run, tell: ({ message }) => message });
  try {
    await take('reach', 'CONNECTIVITY', tried.reach);
    await take('tcp', 'CONNECTIVITY', tried.tcp);
    await take('tls', 'CONNECTIVITY', tried.tls);
    await take('version', 'CONNECTIVITY', tried.version);
    await take('impersonate', 'KUBE_PRINCIPAL', () => tried.impersonate(who));
    await take('pods', 'KUBE_PRINCIPAL', () => tried.pods(who, namespace));
  } finally {
    tried.close();
  }
}

async function passAccess(
  deps: TestKubeDeps,
  steps: Steps,
  test: ConnectionTest,
  names: Parameters<typeof whoIn>[3],
): Promise<{ cluster: ListedKube; who: KubeIdentity }> {
  const { actor, wanted } = test;
  const cluster = await takeFind(steps, test, {
    type: 'RBAC_KUBE',
    listedBy: 'gatehouse kube ls',
    find: () => findSeenKube(deps, actor, wanted),
    tell: ({ resource }) => `you see the Kubernetes cluster '${resource.name}'`,
  });
  test.onFound(cluster.resource);
  const who = await steps.take({
    step: 'access',
    type: 'RBAC_KUBE',
    run() {
      if (cluster.wrong !== '') throw wrongRecord(cluster);
      const chosen = whoIn(deps.access, actor, cluster, names);
      requireBe(deps, test, cluster, chosen);
      return chosen;
    },
    tell: ({ user, groups }) =>
      `your roles let you be '${user}' there${groups.length > 0 ? `, in ${groups.join(', ')}` : ''}`,
  });
  await takeFactor(steps, test, deps.access, 'RBAC_KUBE');
  return { cluster, who };
}

/** Asked of the very record that is dialled afterwards. */
function requireBe({ access }: TestKubeDeps, test: ConnectionTest, cluster: ListedKube, who: KubeIdentity): void {
  const { actor } = test;
  const { resource } = cluster;
  if (mayBe(access, actor, cluster, who)) return;
  requireUnlocked(access, test, { type: 'connect', kind: 'kube', resource: { ...resource, owner: '' }, ...who });
  const given = principalsFor(access.of(actor), 'kube', resource.labels, 'kubernetes_groups').join(', ') || 'none';
  throw mayNot(
    `none of your roles lets you use '${resource.name}' as '${who.user}'`,
    `they give the groups ${given}; an administrator sees why with: gatehouse access explain ${actor.username} ${resource.name} --kube-user ${who.user}`,
  );
}
