/** The world of Kubernetes behind TLS, as kubectl wants it: it shows a pass to nobody it cannot check. */
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import type { KubeClusterOptions } from '@gatehouse/testkit/kube/kube-cluster';
import { namespaceObject, podObject } from '@gatehouse/testkit/kube/kube-seed';
import { type KubectlVersion, kubeconfig } from '@gatehouse/testkit/kube/kubeconfig';
import { createKubectl, type Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { makeTestAuthority } from '../db/test-authority.ts';
import type { TestBrowser } from '../test-browser.ts';
import { KUBE_CLUSTER, type KubeWorld, startKubeWorld } from './kube-world.ts';

export interface KubectlWorld extends KubeWorld {
  /** Of the gateway's own certificate. */
  ca: string;
  /** Registers one more cluster of `dev`. */
  add(name: string, at: { url: string; ca: string; token: string }): Promise<void>;
  /** As `gatehouse kube config` writes it, but with the pass in it. */
  kubeconfig(pass: string, name?: string): string;
  passTo(name: string, who: TestBrowser): Promise<string>;
  kubectl(version: KubectlVersion, who: TestBrowser, name?: string): Promise<Kubectl>;
}

/** Pods `idle` in `default` and `cat` in `shop` run there. */
const OBJECTS = [
  namespaceObject('shop'),
  podObject('default', 'idle', { labels: { app: 'idle' } }),
  podObject('shop', 'cat', {
    containers: [{ name: 'main', image: 'example.test/cat:1', command: ['cat'], stdin: true }],
  }),
];

export async function startKubectlWorld(
  cluster: KubeClusterOptions = {},
  options: Omit<NonNullable<Parameters<typeof startKubeWorld>[0]>, 'cluster' | 'secure'> = {},
): Promise<KubectlWorld> {
  const { ca, server } = await makeTestAuthority();
  const world = await startKubeWorld({
    ...options,
    cluster: { ...cluster, objects: [...OBJECTS, ...(cluster.objects ?? [])] },
    secure: { host: 'localhost', ...server },
  });
  const { port } = new URL(world.origin);
  await Promise.all([world.cluster.running('default', 'idle'), world.cluster.running('shop', 'cat')]);
  const write: KubectlWorld['kubeconfig'] = (token, name = 'prod') =>
    kubeconfig({ server: `https://localhost:${port}/v1/kube/${name}`, ca, token });
  const passTo: KubectlWorld['passTo'] = async (name, who) =>
    (await call(who.send, kubePassRoutes.give, { params: { ...KUBE_CLUSTER, name }, body: {} })).token;
  return {
    ...world,
    ...{ ca, passTo, kubeconfig: write, origin: `https://localhost:${port}` },
    async add(name, at) {
      await call(world.admin.send, kubeRoutes.add, {
        params: KUBE_CLUSTER,
        body: { name, labels: { env: 'dev' }, server: at.url, ca: at.ca, credential: { token: at.token } },
      });
    },
    kubectl: async (version, who, name = 'prod') => createKubectl(version, write(await passTo(name, who), name)),
  };
}
