/** A gateway with a small Kubernetes cluster behind it, and programs that come with a pass, for tests. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KUBE_DOOR, kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { type KubeCluster, type KubeClusterOptions, startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { makeRole } from '../apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';

export const KUBE_CLUSTER = { clusterId: 'localhost' };
/** Everything there is, decided by the cluster's own roles. */
const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";

export interface KubeWorld {
  gateway: IdentityGateway;
  cluster: KubeCluster;
  admin: TestBrowser;
  /** In the group `edit` of the cluster. */
  ann: TestBrowser;
  origin: string;
  /** What the gateway shows the cluster. */
  token: string;
  /** Adds somebody with a role of their own; `spec` is what it allows. */
  person(name: string, allow: string, options?: string): Promise<TestBrowser>;
  pass(who: TestBrowser): Promise<string>;
  /** Sends what a program would, as it stands. */
  send(pass: string, target: string, options?: KubeSend): Promise<KubeReply>;
  /** The same, answered so far as its head. */
  open(
    pass: string,
    target: string,
    options?: KubeSend,
  ): Promise<{ request: ClientRequest; response: IncomingMessage }>;
  close(): Promise<void>;
}

export interface KubeSend {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

export interface KubeReply {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

type WorldOptions = NonNullable<Parameters<typeof startIdentityGateway>[0]> & { cluster?: KubeClusterOptions };

export async function startKubeWorld({ cluster: wanted = {}, ...options }: WorldOptions = {}): Promise<KubeWorld> {
  const [gateway, cluster] = await Promise.all([startIdentityGateway(options), startKubeCluster(wanted)]);
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  allowImpersonation(cluster);
  const token = cluster.token({ user: 'gateway', groups: [] });
  const body = {
    ...{ name: 'prod', server: cluster.url, ca: cluster.ca, labels: { env: 'dev' } },
    credential: { token },
  };
  await call(admin.send, kubeRoutes.add, { params: KUBE_CLUSTER, body });

  const person: KubeWorld['person'] = async (name, allow, roleOptions = '{}') => {
    const rules = 'rules: [{resources: [kube_server], verbs: [list, read]}]';
    await makeRole(admin, `role-${name}`, `{options: ${roleOptions}, allow: {${allow}, ${rules}}}`, 'v8');
    await gateway.addUser(name, { roles: [`role-${name}`] });
    return await gateway.signedIn(name);
  };
  const ann = await person('ann', `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}`);

  const open: KubeWorld['open'] = async (pass, target, { method = 'GET', headers = {}, body: sent } = {}) => {
    const request = sendRequest({
      ...{ host: '127.0.0.1', port, method, path: `${KUBE_DOOR}prod${target}` },
      headers: { ...(pass === '' ? {} : { authorization: `Bearer ${pass}` }), ...headers },
    });
    request.on('error', () => {});
    request.end(sent);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { request, response };
  };
  return {
    ...{ gateway, cluster, admin, ann, token, person, open, origin: `http://127.0.0.1:${port}` },
    async pass(who) {
      const params = { ...KUBE_CLUSTER, name: 'prod' };
      return (await call(who.send, kubePassRoutes.give, { params, body: {} })).token;
    },
    async send(pass, target, options) {
      const { response } = await open(pass, target, options);
      let text = '';
      for await (const piece of response) text += String(piece);
      return { status: response.statusCode ?? 0, headers: response.headers, text };
    },
    async close() {
      await gateway.close();
      await cluster.stop();
    },
  };
}

/** What the gateway has in a cluster: it may speak in others' names, and nothing else. */
function allowImpersonation(cluster: KubeCluster): void {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: 'gatehouse' };
  const rules = [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }];
  cluster.put({ apiVersion, kind: 'ClusterRole', metadata, rules });
  bind(cluster, 'gatehouse', 'gatehouse', { kind: 'User', name: 'gateway' });
  bind(cluster, 'edit', 'edit', { kind: 'Group', name: 'edit' });
  bind(cluster, 'view', 'view', { kind: 'Group', name: 'view' });
}

function bind(cluster: KubeCluster, name: string, role: string, subject: { kind: string; name: string }): void {
  const apiGroup = 'rbac.authorization.k8s.io';
  cluster.put({
    ...{ apiVersion: `${apiGroup}/v1`, kind: 'ClusterRoleBinding', metadata: { name } },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, ...subject }],
  });
}
