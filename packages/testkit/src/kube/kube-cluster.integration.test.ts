import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { type KubeCluster, startKubeCluster } from './kube-cluster.ts';
import { binding, clusterRole, namespaceObject, podObject } from './kube-seed.ts';
import { KUBECTLS } from './kubeconfig.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';

const pairs = KUBECTLS.flatMap((client) => KUBECTLS.map((version) => ({ client, version })));
/** What each pair of ages ends up with, or the wrong thing was tested. */
const wireOf = (client: string, version: string) =>
  client === '1.20'
    ? 'SPDY v4.channel.k8s.io'
    : version === '1.20'
      ? 'SPDY v4.channel.k8s.io'
      : 'websocket v5.channel.k8s.io';

describe.each(pairs)('kubectl $client at a small cluster of $version', ({ client, version }) => {
  let cluster: KubeCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startKubeCluster({
      version,
      objects: [
        namespaceObject('shop'),
        podObject('default', 'idle', { labels: { app: 'idle' } }),
        podObject('shop', 'cat', {
          containers: [{ name: 'main', image: 'example.test/cat:1', command: ['cat'], stdin: true }],
        }),
      ],
    });
    kubectl = createKubectl(client, cluster.kubeconfig({ token: cluster.adminToken }));
    await cluster.running('default', 'idle');
    await cluster.running('shop', 'cat');
  });
  afterAll(async () => {
    kubectl?.remove();
    await cluster?.stop();
  });

  test('lists by the columns the server prints, and says what is missing in its words', async () => {
    expect(await kubectl.must(['get', 'pods', '-A'])).toMatch(
      /NAMESPACE +NAME +READY +STATUS.*\ndefault +idle +1\/1 +Running/,
    );
    expect(await kubectl.run(['get', 'pod', 'nope'])).toMatchObject({
      code: 1,
      stderr: 'Error from server (NotFound): pods "nope" not found\n',
    });
  });

  test('applies, finds nothing changed, rolls out what did, deletes', async () => {
    const manifest = (image: string) =>
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'shop' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
        },
      });
    const apply = ['apply', '-f', '-'];
    expect(await kubectl.must(apply, manifest('example.test/web:1'))).toBe('deployment.apps/web created\n');
    expect(await kubectl.must(apply, manifest('example.test/web:1'))).toBe('deployment.apps/web unchanged\n');
    expect(await kubectl.must(apply, manifest('example.test/web:2'))).toBe('deployment.apps/web configured\n');
    expect(await kubectl.must(['rollout', 'status', '-n', 'shop', 'deployment/web'])).toContain(
      'successfully rolled out',
    );
    const images = [
      'get',
      'pods',
      '-n',
      'shop',
      '-l',
      'app=web',
      '-o',
      'jsonpath={.items[*].spec.containers[0].image}',
    ];
    await expect.poll(async () => await kubectl.must(images)).toBe('example.test/web:2 example.test/web:2');
    const dry = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'];
    expect(await kubectl.must(dry, manifest('example.test/web:3'))).toContain('serverside-applied (server dry run)');
    expect(await kubectl.must(images)).not.toContain('web:3');
    expect(await kubectl.must(['delete', '-n', 'shop', 'deployment', 'web'])).toContain('deleted');
    await expect.poll(async () => await kubectl.must(images)).toBe('');
  });

  test('follows a watch by events', async () => {
    const watch = kubectl.start(['get', 'configmaps', '-n', 'shop', '-w']);
    const put = (name: string) =>
      cluster.put({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'shop' }, data: { a: '1' } });
    put('first');
    expect(await watch.prints('first')).toContain('DATA');
    put('second');
    await watch.prints('second');
    await watch.stop();
  });

  test('follows a log, takes its end and its times', async () => {
    const container = cluster.container('default', 'idle');
    for (const line of ['one', 'two', 'three']) container.print(line);
    const follow = kubectl.start(['logs', '-f', 'idle', '--tail', '1', '--timestamps']);
    expect(await follow.prints('three')).toMatch(/^\d{4}-.*Z three\n$/);
    container.print('four');
    expect(await follow.prints('four')).not.toContain('two');
    await follow.stop();
    expect((await kubectl.run(['logs', '--previous', 'idle'])).stderr).toContain('previous terminated container');
    cluster.restart('default', 'idle');
    expect(await kubectl.must(['logs', '--previous', 'idle'])).toBe('one\ntwo\nthree\nfour\n');
  });

  test('runs programs: output apart from errors, exit code, the end of what is typed, twenty megabytes', async () => {
    const both = await kubectl.run(['exec', 'idle', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);
    expect(both).toMatchObject({ code: 7, stdout: 'out\n' });
    expect(both.stderr).toMatch(/^err\n/);
    expect(cluster.seen.findLast(({ url }) => url.includes('/exec'))?.wire).toBe(wireOf(client, version));
    expect(await kubectl.must(['exec', '-i', 'idle', '--', 'wc', '-c'], Buffer.alloc(20_000_000))).toBe('20000000\n');
    expect((await kubectl.run(['exec', 'idle', '--', 'no-such-program'])).stderr).toContain(
      'error executing command in container',
    );
  });

  test('gives a terminal with the size of ours', async () => {
    const shell = kubectl.startOnTerminal(
      [
        'exec',
        '-it',
        'idle',
        '--',
        'sh',
        '-c',
        'read line; until [ "$(stty size)" = "31 101" ]; do sleep 0.02; done; echo got $line',
      ],
      101,
      31,
    );
    shell.type('hello\n');
    // The size comes by a stream of its own, behind what is typed or before it.
    await shell.prints('got hello');
    expect((await shell.ended).code).toBe(0);
  });

  test('copies a file there and back', async () => {
    const there = join(kubectl.folder, 'there');
    mkdirSync(there);
    writeFileSync(join(kubectl.folder, 'file'), 'some text');
    await kubectl.must(['cp', 'file', `idle:${there}/copied`]);
    expect(readFileSync(join(there, 'copied'), 'utf8')).toBe('some text');
    await kubectl.must(['cp', `idle:${there}/copied`, 'back']);
    expect(readFileSync(join(kubectl.folder, 'back'), 'utf8')).toBe('some text');
  });

  test('attaches to a program that runs', async () => {
    const attached = kubectl.start(['attach', '-i', '-n', 'shop', 'cat']);
    attached.type('to and fro\n');
    await attached.prints('to and fro\n');
    await attached.stop();
  });

  test('forwards a port, more than one connection at once, and tells where nobody listens', async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const { port } = echo.address() as AddressInfo;
    const local = await freePort();
    const forward = kubectl.start(['port-forward', 'idle', `${local}:${port}`]);
    await forward.prints('Forwarding from 127.0.0.1');
    const said = await Promise.all(
      ['a', 'b', 'c'].map(async (letter) => await exchange(local, letter.repeat(100_000))),
    );
    expect(said.map((text) => [text[0], text.length])).toEqual([
      ['a', 100_000],
      ['b', 100_000],
      ['c', 100_000],
    ]);
    expect(cluster.seen.findLast(({ url }) => url.includes('/portforward'))?.wire).toBe(
      client === '1.32' && version === '1.32' ? 'websocket SPDY/3.1+portforward.k8s.io' : 'SPDY portforward.k8s.io',
    );
    echo.close();
    await forward.stop();
  });

  test('decides by roles, also for one who is only meant', async () => {
    cluster.put(clusterRole('see-pods', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }]));
    cluster.put(binding('ann-sees-pods', 'see-pods', { kind: 'User', name: 'ann' }, 'shop'));
    expect(await kubectl.must(['get', 'pods', '-n', 'shop', '--as', 'ann'])).toContain('cat');
    expect((await kubectl.run(['get', 'pods', '--as', 'ann'])).stderr).toBe(
      'Error from server (Forbidden): pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "default"\n',
    );
    expect((await kubectl.run(['auth', 'can-i', 'delete', 'pods', '-n', 'shop', '--as', 'ann'])).stdout).toBe('no\n');
    const masked = createKubectl(client, cluster.kubeconfig({ token: cluster.token({ user: 'ann', groups: [] }) }));
    expect(await masked.must(['get', 'pods', '-n', 'shop'])).toContain('cat');
    expect((await masked.run(['get', 'pods', '-n', 'shop', '--as', 'bob'])).stderr).toContain(
      'users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    masked.remove();
  });

  test('takes certificates, and shows what programs use', async () => {
    const certificate = await cluster.certificate('root-user', ['system:masters', 'ops']);
    const other = createKubectl(client, cluster.kubeconfig({ certificate }));
    expect(await other.must(['top', 'pods'])).toMatch(/idle +250m +64Mi/);
    other.remove();
    expect(cluster.seen.at(-1)).toMatchObject({
      user: 'root-user',
      groups: ['system:masters', 'ops', 'system:authenticated'],
    });
  });
});

async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString();
    if (heard.length >= text.length) socket.end();
  });
  socket.write(text);
  await once(socket, 'close');
  return heard;
}
