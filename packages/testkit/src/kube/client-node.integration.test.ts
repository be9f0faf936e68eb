import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientNode, loadClientNode } from './client-node.ts';
import { type KubeCluster, startKubeCluster } from './kube-cluster.ts';
import { podObject } from './kube-seed.ts';

let cluster: KubeCluster;
let client: ClientNode;
let config: InstanceType<ClientNode['KubeConfig']>;
beforeAll(async () => {
  client = await loadClientNode();
  cluster = await startKubeCluster({ objects: ['a', 'b', 'c'].map((name) => podObject('default', name)) });
  config = new client.KubeConfig();
  config.loadFromString(cluster.kubeconfig({ token: cluster.adminToken }));
  await cluster.running('default', 'c');
});
afterAll(async () => await cluster?.stop());

test('lists in parts, as a program pages', async () => {
  const api = config.makeApiClient(client.CoreV1Api);
  const first = await api.listNamespacedPod({ namespace: 'default', limit: 2 });
  expect(first.items.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
  const rest = await api.listNamespacedPod({
    namespace: 'default',
    limit: 2,
    _continue: first.metadata?._continue ?? '',
  });
  expect(rest.items.map(({ metadata }) => metadata?.name)).toEqual(['c']);
  cluster.compact();
  await expect(
    api.listNamespacedPod({ namespace: 'default', _continue: first.metadata?._continue ?? '' }),
  ).rejects.toThrow('410');
});

test('watches, and hears when a version is too old', async () => {
  const watch = new client.Watch(config);
  const heard: string[] = [];
  const from = async (resourceVersion: string) =>
    await new Promise<void>((resolve, reject) => {
      const onEvent = (happened: string, { metadata, ...rest }: { metadata?: { name?: string }; code?: number }) => {
        heard.push(`${happened} ${metadata?.name ?? rest.code}`);
        if (happened === 'ERROR' || metadata?.name === 'made') resolve();
      };
      void watch
        .watch('/api/v1/namespaces/default/configmaps', { resourceVersion }, onEvent, reject)
        .then((controller) => {
          if (resourceVersion !== '1') {
            cluster.put({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'made', namespace: 'default' } });
          }
          return controller;
        });
    });
  await from('0');
  expect(heard).toEqual(['ADDED made']);
  await from('1');
  expect(heard.at(-1)).toBe('ERROR 410');
});

test('runs a program by websocket', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = new Promise<{ status?: string; message?: string }>((resolve, reject) => {
    new client.Exec(config)
      .exec(
        'default',
        'a',
        'main',
        ['sh', '-c', 'read line; echo got $line; exit 3'],
        stdout,
        stderr,
        Readable.from(['hello\n']),
        false,
        resolve,
      )
      .catch(reject);
  });
  expect(await status).toMatchObject({ status: 'Failure', message: 'command terminated with non-zero exit code: 3' });
  stdout.end();
  expect(await text(stdout)).toBe('got hello\n');
});
