/**
 * Starts the small cluster of the tests by hand, with some pods in it, and writes a kubeconfig for its administrator:
 * `node tools/kube-cluster.ts [--version 1.32] [--port N] [--kubeconfig FILE]`. Ends with Ctrl-C.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { namespaceObject, podObject } from '@gatehouse/testkit/kube/kube-seed';

const { values } = parseArgs({
  options: {
    version: { type: 'string', default: '1.32' },
    port: { type: 'string', default: '0' },
    kubeconfig: { type: 'string', default: join(tmpdir(), `kube-cluster-${process.pid}.json`) },
  },
});
const counter = 'n=0; while :; do n=$((n+1)); echo "line $n"; sleep 1; done';
const cluster = await startKubeCluster({
  version: values.version,
  port: Number(values.port),
  objects: [
    namespaceObject('shop'),
    podObject('default', 'idle', { labels: { app: 'idle' } }),
    podObject('shop', 'counter', {
      containers: [{ name: 'main', image: 'example.test/counter:1', command: ['sh', '-c', counter] }],
    }),
    {
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'example.test/web:1' }] },
        },
      },
    } as never,
  ],
});
writeFileSync(values.kubeconfig, cluster.kubeconfig({ token: cluster.adminToken }), { mode: 0o600 });
process.stdout.write(`Kubernetes ${values.version} at ${cluster.url}\nexport KUBECONFIG=${values.kubeconfig}\n`);
process.once('SIGINT', () => void cluster.stop().then(() => process.exit(0)));
process.once('SIGTERM', () => void cluster.stop().then(() => process.exit(0)));
