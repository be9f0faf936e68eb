/** The small cluster that benchmarks of Kubernetes measure with, in a process of its own: thousands of pods, one that prints, one to type into. Tells where it is. */
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { LOG_BYTES } from '@gatehouse/testkit/kube/kube-logs';
import type { KubeObject } from '@gatehouse/testkit/kube/kube-object';
import { binding, clusterRole, podObject } from '@gatehouse/testkit/kube/kube-seed';

const PODS = Number(process.env.BENCH_PODS ?? '5000');
/** What pages with many pods are held against. */
const FEW = 200;
const CHANGED_AT_ONCE = 20;
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
  ...Array.from({ length: FEW }, (_, at) => podObject('kube-system', `pod-${at}`)),
  podObject('kube-public', 'talker', { annotations: { [LOG_BYTES]: LOG } }),
];
const pod = (at: number, change: string) =>
  podObject('default', `pod-${at % 2 === 0 ? 'even' : 'odd'}-${at}`, {
    labels: { app: `app-${at % 50}` },
    annotations: { ...ANNOTATIONS, 'example.test/change': change },
  });
const cluster = await startKubeCluster({ objects });
for (let at = 0; at < PODS; at++) cluster.put(pod(at, 'first'));
await cluster.running('kube-public', 'talker');
let told = 0;
let changed = 0;
const tick = (name: string, namespace = 'kube-public') => {
  told += 1;
  cluster.put({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace },
    data: { told: String(told) },
  });
};
/** As in a cluster where something is rolled out: some pods after the other have another label. */
const change = () => {
  for (let count = 0; count < CHANGED_AT_ONCE && PODS > 0; count++) {
    const at = changed++ % PODS;
    cluster.put(pod(at, `of ${changed}`));
  }
};
process.on('message', (message) => {
  if (message === 'stop') void cluster.stop().then(() => process.exit(0));
  if (message === 'change') change();
  // One of many that are watched each by itself.
  if (typeof message === 'object' && message !== null && 'tick' in message) tick(String(message.tick));
  if (message === 'event') tick('tick', 'kube-system');
});
process.send?.({
  type: 'ready',
  url: cluster.url,
  ca: cluster.ca,
  token: cluster.adminToken,
  gatewayToken: cluster.token({ user: 'gateway', groups: [] }),
});
