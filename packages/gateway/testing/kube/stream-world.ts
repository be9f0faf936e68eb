/** A gateway with a small Kubernetes cluster behind it, and real kubectls that come with a pass: for commands and ports in pods. */
import type { AddressInfo } from 'node:net';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { KUBE_DOOR, kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { type KubeCluster, type KubeClusterOptions, startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { binding, clusterRole, podObject } from '@gatehouse/testkit/kube/kube-seed';
import { type KubectlVersion, kubeconfig } from '@gatehouse/testkit/kube/kubeconfig';
import { createKubectl, type Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { makeTestAuthority } from '../db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';

const CLUSTER = { clusterId: 'localhost' };
const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";
export const DEV = `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}`;

export interface StreamWorld {
  gateway: IdentityGateway;
  cluster: KubeCluster;
  admin: TestBrowser;
  /** Somebody with a role of their own: what it allows, and its options. */
  person(name: string, role?: { allow?: string; options?: string }): Promise<TestBrowser>;
  /** With a pass of theirs; removed with the world. */
  kubectl(who: TestBrowser, version?: KubectlVersion): Promise<Kubectl>;
  pass(who: TestBrowser): Promise<string>;
  port: number;
  close(): Promise<void>;
}

type Options = NonNullable<Parameters<typeof startIdentityGateway>[0]> & { cluster?: KubeClusterOptions };

export async function startStreamWorld({ cluster: wanted = {}, ...options }: Options = {}): Promise<StreamWorld> {
  const cluster = await startKubeCluster({
    ...wanted,
    objects: [
      clusterRole('gatehouse', [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }]),
      binding('gatehouse', 'gatehouse', { kind: 'User', name: 'gateway' }),
      ...['edit', 'view'].map((group) => binding(`group-${group}`, group, { kind: 'Group', name: group })),
      podObject('default', 'web'),
      podObject('default', 'cat', {
        containers: [{ name: 'main', image: 'example.test/cat:1', command: ['cat'], stdin: true }],
      }),
    ],
  });
  await Promise.all(['web', 'cat'].map((pod) => cluster.running('default', pod)));
  const authority = await makeTestAuthority();
  // Over plain HTTP kubectl shows no pass.
  const gateway = await startIdentityGateway({ secure: { host: 'localhost', ...authority.server }, ...options });
  // TLS looks at the clock of the machine.
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.addUser('admin', { roles: ['editor', 'auditor'] });
  const admin = await gateway.signedIn('admin');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const body = {
    ...{ name: 'prod', server: cluster.url, ca: cluster.ca, labels: { env: 'dev' } },
    credential: { token: cluster.token({ user: 'gateway', groups: [] }) },
  };
  await call(admin.send, kubeRoutes.add, { params: CLUSTER, body });
  const kubectls: Kubectl[] = [];
  const pass = async (who: TestBrowser) =>
    (await call(who.send, kubePassRoutes.give, { params: { ...CLUSTER, name: 'prod' }, body: {} })).token;
  return {
    ...{ gateway, cluster, admin, pass, port },
    async person(name, { allow = DEV, options: roleOptions = '{}' } = {}) {
      const spec = `{options: ${roleOptions}, allow: {${allow}}}`;
      const content = `kind: role\nversion: v8\nmetadata: {name: role-${name}}\nspec: ${spec}\n`;
      await call(admin.send, roleRoutes.create, { body: { content } });
      await gateway.addUser(name, { roles: [`role-${name}`, 'access'] });
      return await gateway.signedIn(name);
    },
    async kubectl(who, version = '1.32') {
      const server = `https://localhost:${port}${KUBE_DOOR}prod`;
      const made = createKubectl(version, kubeconfig({ server, ca: authority.ca, token: await pass(who) }));
      kubectls.push(made);
      return made;
    },
    async close() {
      for (const each of kubectls) each.remove();
      await gateway.close();
      await cluster.stop();
    },
  };
}
