/** The small cluster that kube.bench.ts measures with, in a process of its own: thousands of pods, one that prints, one to type into. Tells where it is. */

import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { LOG_BYTES } from '@gatehouse/testkit/kube/kube-logs';
import type { KubeObject } from '@gatehouse/testkit/kube/kube-object';
import { binding, clusterRole, podObject } from '@gatehouse/testkit/kube/kube-seed';

const PODS = Number(process.env.BENCH_PODS ?? '5000');
const LOG = process.env.BENCH_LOG_BYTES ?? '0';
/** What a pod of a cluster in use carries beside what the small one gives it. */
const ANNOTATIONS = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    `example.test/note-${at}`,
    'a value of the usual length that nobody reads '.repeat(3),
  ]),
);

const objects: KubeObject[] = [
  clusterRole('gatehouse', [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }]),
  binding('gatehouse', 'gatehouse', { kind: 'User', name: 'gateway' }),
  binding('edit', 'edit', { kind: 'Group', name: 'edit' }),
  podObject('kube-public', 'idle'),
  podObject('kube-public', 'talker', { annotations: { [LOG_BYTES]: LOG } }),
];
const cluster = await startKubeCluster({ objects });
for (let at = 0; at < PODS; at++) {
  const name = `pod-${at % 2 === 0 ? 'even' : 'odd'}-${at}`;
  cluster.put(podObject('default', name, { labels: { app: `app-${at % 50}` }, annotations: ANNOTATIONS }));
}
await cluster.running('kube-public', 'talker');
let told = 0;
process.on('message', (message) => {
  if (message === 'stop') void cluster.stop().then(() => process.exit(0));
  if (message !== 'event') return;
  told += 1;
  cluster.put({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'tick', namespace: 'kube-public' },
    data: { told: String(told) },
  });
});
process.send?.({
  type: 'ready',
  url: cluster.url,
  ca: cluster.ca,
  token: cluster.adminToken,
  gatewayToken: cluster.token({ user: 'gateway', groups: [] }),
});
