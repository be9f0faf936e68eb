/** How programs come to what runs in pods, and to ports there, for the suite of all doors. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { KUBE_DOOR, kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { type KubeCluster, startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { binding, clusterRole, podObject } from '@gatehouse/testkit/kube/kube-seed';
import { WebSocket } from 'ws';
import { SpdyConnection } from '../../src/kinds/kube/engine/spdy/spdy-connection.ts';
import type { TestBrowser } from '../test-browser.ts';

const PARAMS = { clusterId: 'localhost', name: 'pods' };
const COMMAND = 'command=sh&command=-c&command=echo%20ready%3B%20cat&stdin=1&stdout=1';

interface At {
  port: number;
}

/** Registered as `pods`, with one pod in it. */
export async function startPods(admin: TestBrowser): Promise<KubeCluster> {
  const cluster = await startKubeCluster({
    objects: [
      clusterRole('gatehouse', [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }]),
      binding('gatehouse', 'gatehouse', { kind: 'User', name: 'gateway' }),
      binding('edit', 'edit', { kind: 'Group', name: 'edit' }),
      podObject('default', 'web'),
    ],
  });
  const { url: server, ca } = cluster;
  const credential = { token: cluster.token({ user: 'gateway', groups: [] }) };
  const body = { name: 'pods', server, ca, credential, labels: { env: 'dev' } };
  await call(admin.send, kubeRoutes.add, { params: { clusterId: 'localhost' }, body });
  await cluster.running('default', 'web');
  return cluster;
}

export async function relabelPods(admin: TestBrowser, env: string): Promise<void> {
  await call(admin.send, kubeRoutes.update, { params: PARAMS, body: { labels: { env } } });
}

async function headersOf(who: TestBrowser): Promise<{ authorization: string }> {
  const { token } = await call(who.send, kubePassRoutes.give, { params: PARAMS, body: {} });
  return { authorization: `Bearer ${token}` };
}

/** Says `ready` once it runs. */
export async function askForExec({ port }: At, who: TestBrowser, how: 'tty' | 'plain'): Promise<WebSocket> {
  const path = `${KUBE_DOOR}pods/api/v1/namespaces/default/pods/web/exec?${COMMAND}${how === 'tty' ? '&tty=1' : ''}`;
  const headers = await headersOf(who);
  return new WebSocket(`ws://127.0.0.1:${port}${path}`, ['v5.channel.k8s.io'], { headers });
}

/** Throws where nobody was let in. */
export async function openExec(at: At, who: TestBrowser, how: 'tty' | 'plain'): Promise<WebSocket> {
  const socket = await askForExec(at, who, how);
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  socket.on('error', over.reject);
  socket.on('close', () => over.reject(new Error('nobody was let in')));
  const ready = new Promise<void>((resolve) =>
    socket.on('message', (data: Buffer) => void (data[0] === 1 && data.includes('ready') && resolve())),
  );
  await Promise.race([ready, over.promise]);
  return socket;
}

/** To a port that says something first. */
export async function openForward({ port }: At, who: TestBrowser, to: number): Promise<Duplex> {
  const asked = request({
    ...{ port, method: 'POST', path: `${KUBE_DOOR}pods/api/v1/namespaces/default/pods/web/portforward` },
    headers: {
      ...(await headersOf(who)),
      ...{ connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' },
    },
  });
  asked.end();
  const refused = once(asked, 'response').then(([{ statusCode }]) => {
    throw new Error(`nobody was let in: ${statusCode}`);
  });
  refused.catch(() => {});
  const [, wire] = (await Promise.race([once(asked, 'upgrade'), refused])) as [IncomingMessage, Duplex];
  const connection = new SpdyConnection({ wire, side: 'client' });
  const headers = { port: String(to), requestid: '1' };
  connection
    .open({ ...headers, streamtype: 'error' })
    .resume()
    .end();
  await once(connection.open({ ...headers, streamtype: 'data' }), 'data');
  return wire;
}
