/** What puts agents into a cluster, applied by a real kubectl, and what those agents may and keep there. */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readAgentConfig } from '@gatehouse/agent/config/agent-config';
import { openDataFolder } from '@gatehouse/agent/identity/data-folder';
import { loadKey, writeIdentity } from '@gatehouse/agent/identity/identity';
import { keptIdentity } from '@gatehouse/agent/identity/kept-identity';
import { specOfPod } from '@gatehouse/agent/kinds/kube/agent-kubes';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { type KubeCluster, startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { kubectlProgram } from '@gatehouse/testkit/kube/kubeconfig';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type CommandLine, type Run, startCommandLine } from '../../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let cluster: KubeCluster;
let made: Run;

const inFolder = (name: string) => join(line.folder, name);

beforeAll(async () => {
  [line, cluster] = await Promise.all([startCommandLine(() => startIdentityGateway()), startKubeCluster()]);
  line.world.clock.now = Date.now();
  writeFileSync(inFolder('admin.yaml'), cluster.kubeconfig({ token: cluster.adminToken }));
  made = await line.local('kube', 'manifest', 'prod', '--groups', 'view,dev', '--labels', 'env=prod');
  expect([made.code, made.stderr]).toEqual([0, expect.not.stringContaining('gatehouse:')]);
  writeFileSync(inFolder('agents.yaml'), made.stdout);
});
afterAll(async () => {
  await line?.close();
  await cluster?.stop();
});

function kubectl(...args: string[]): Promise<{ failed: boolean; printed: string }> {
  const all = [`--kubeconfig=${inFolder('admin.yaml')}`, ...args];
  return new Promise((resolve) => {
    execFile(kubectlProgram('1.32'), all, { env: { HOME: line.folder } }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, printed: `${stdout}${stderr}` }),
    );
  });
}

test('kubectl applies it, and applying it again changes nothing', async () => {
  const first = await kubectl('apply', '-f', inFolder('agents.yaml'));
  expect([first.failed, first.printed.match(/ created$/gm)?.length]).toEqual([false, 10]);
  const again = await kubectl('apply', '-f', inFolder('agents.yaml'));
  expect(again.failed).toBe(false);
  expect(again.printed).not.toContain('created');

  const role = cluster.get('rbac.authorization.k8s.io/v1', 'ClusterRole', '', 'gatehouse');
  expect(JSON.stringify(role?.rules)).toContain('"resourceNames":["view","dev"]');
  const set = cluster.get('apps/v1', 'StatefulSet', 'gatehouse', 'gatehouse-agent') as unknown as {
    spec: { replicas: number; template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } };
  };
  expect(set.spec.replicas).toBe(2);
  expect(set.spec.template.spec.containers[0]?.env).toContainEqual({
    name: 'GATEHOUSE_AGENT_NAME',
    value: 'prod-$(POD_NAME)',
  });
});

test('its agents find in their file what they offer; the token stands nowhere but in a Secret, and lets them offer that alone', async () => {
  const objects = parseAllDocuments(made.stdout).map((document) => document.toJS());
  const secret = objects.find(({ kind, stringData }) => kind === 'Secret' && stringData);
  const file = JSON.parse(secret.stringData['agent.yaml']);
  expect(file).toMatchObject({ shell: false, kubernetes: [{ name: 'prod', inCluster: true }] });
  const holding = objects.filter((object) => JSON.stringify(object).includes(secret.stringData.token));
  expect(holding).toEqual([secret]);
  // The same file, where the agent is no pod, is refused for that reason alone.
  writeFileSync(inFolder('agent.yaml'), JSON.stringify({ ...file, gateway: 'http://127.0.0.1:1' }));
  expect(() => readAgentConfig({ config: inFolder('agent.yaml') }, {}, '/')).toThrow(/inCluster.*ENOENT/s);
  const tokens = await line.json('tokens', 'ls');
  expect(tokens.at(-1)).toMatchObject({ roles: ['Kube'], offers: { kubernetes: ['prod'] } });
});

test('its pods fetch the agent from the gateway, and say why where they cannot', async () => {
  const objects = parseAllDocuments(made.stdout).map((document) => document.toJS());
  const [{ command }] = objects.find(({ kind }) => kind === 'StatefulSet').spec.template.spec.initContainers;
  expect(command).toEqual(['node', '-e', expect.any(String), 'http://localhost:3080', '/agent']);
  mkdirSync(inFolder('packed/gatehouse-agent'), { recursive: true });
  writeFileSync(inFolder('packed/gatehouse-agent/gatehouse-agent'), 'the agent');
  execFileSync('tar', ['-czf', inFolder('agent.tar.gz'), '-C', inFolder('packed'), 'gatehouse-agent']);
  mkdirSync(inFolder('to'));
  const asked: string[] = [];
  let status = 200;
  const gateway = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status);
    response.end(readFileSync(inFolder('agent.tar.gz')));
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const { port } = gateway.address() as AddressInfo;
  const args = ['-e', command[2], `http://127.0.0.1:${port}`, inFolder('to')];
  const fetched = () =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, args, (_, __, stderr) => resolve(stderr));
    });

  expect(await fetched()).toBe('');
  expect(readFileSync(inFolder('to/gatehouse-agent'), 'utf8')).toBe('the agent');
  expect(asked).toEqual([`/scripts/agent/gatehouse-agent-linux-${process.arch}.tar.gz`]);
  status = 404;
  expect(await fetched()).toMatch(/the agent could not be fetched: .* answers with 404/);
  gateway.close();
});

test('a pod knows its cluster by what Kubernetes gives it', () => {
  const folder = podFolder('x');
  expect(specOfPod(folder)).toEqual({
    ...{ server: 'https://kubernetes.default.svc', ca: cluster.ca, serverName: '' },
    source: { tokenFile: join(folder, 'token') },
  });
});

test('who an agent is outlives its pod, in a Secret of its own', async () => {
  const account = { user: 'system:serviceaccount:gatehouse:gatehouse', groups: ['system:serviceaccounts'] };
  const folder = podFolder(cluster.token(account));
  const place = (secret: string) => ({ server: cluster.url, folder, secret });
  const identity = { agentId: 'a1', cluster: 'c', name: 'prod-0', labels: {}, tokenDigest: 'd' };

  const before = openDataFolder(inFolder('pod-1'));
  const kept = await keptIdentity(before, place('gatehouse/gatehouse-agent-0'));
  const key = loadKey(before);
  await kept.save();
  writeIdentity(before, identity);
  await kept.save();
  before.close();

  const after = openDataFolder(inFolder('pod-2'));
  await keptIdentity(after, place('gatehouse/gatehouse-agent-0'));
  expect(loadKey(after).equals(key)).toBe(true);
  expect(JSON.parse(after.read('agent.json') ?? '')).toEqual(identity);
  after.close();

  const other = openDataFolder(inFolder('pod-3'));
  for (const secret of ['gatehouse/gatehouse-agent', 'gatehouse/gatehouse-agent-7', 'default/gatehouse-agent-0'])
    await expect(keptIdentity(other, place(secret))).rejects.toThrow(
      `the Secret ${secret}: the cluster answers with 403`,
    );
  await expect(keptIdentity(other, place('x'))).rejects.toThrow('must be NAMESPACE/NAME');
  other.close();
});

test.each([
  [['prod', '--groups', 'view', '--image', 'x y'], 'is no name of an image'],
  [['Prod', '--groups', 'view'], 'kubernetes'],
  [['prod'], '--groups'],
])('%j is refused in words', async (args, words) => {
  const refused = await line.local('kube', 'manifest', ...args);
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining(words)]);
});

test('a token that is no good gives no manifest', async () => {
  const url = `/scripts/${'0'.repeat(32)}/kube-agent.yaml?name=prod`;
  const answer = await line.world.send({ method: 'GET', url });
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('this join token is not valid')]);
});

function podFolder(token: string): string {
  const folder = inFolder('pod');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ca.crt'), cluster.ca);
  writeFileSync(join(folder, 'token'), token);
  return folder;
}
