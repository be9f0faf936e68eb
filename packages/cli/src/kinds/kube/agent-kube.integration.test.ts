/** Clusters that a real agent offers from kubeconfigs on its machine: who dials them, and what the gateway shows them. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAgentConfig } from '@gatehouse/agent/config/agent-config';
import { type Agent, startAgent } from '@gatehouse/agent/main';
import { silentLog } from '@gatehouse/agent/runtime/log';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { tunnelUrl } from '@gatehouse/gateway/testing/test-agent';
import { type KubeCluster, startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type CommandLine, startCommandLine } from '../../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let cluster: KubeCluster;
let agent: Agent | undefined;
let count = 0;

beforeAll(async () => {
  [line, cluster] = await Promise.all([startCommandLine(() => startIdentityGateway()), startKubeCluster()]);
  line.world.clock.now = Date.now();
  await line.world.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await agent?.stop('the test is over');
  agent = undefined;
});
afterAll(async () => {
  await line?.close();
  await cluster?.stop();
});

const inFolder = (name: string) => join(line.folder, name);
const write = (name: string, text: string) => writeFileSync(inFolder(name), text);

/** With this user in its kubeconfig. */
async function offer(name: string, user: object, env: Record<string, string> = {}): Promise<void> {
  const config = parse(cluster.kubeconfig({ token: 'x' }));
  config.users[0].user = user;
  write(`${name}.yaml`, stringify(config));
  count += 1;
  const { token } = await line.json('tokens', 'add', '--kube', `${name}=${inFolder(`${name}.yaml`)}`);
  write('agent.yaml', stringify({ shell: false, kubernetes: [{ name, kubeconfig: inFolder(`${name}.yaml`) }] }));
  const read = readAgentConfig(
    {
      ...{ config: inFolder('agent.yaml'), gateway: new URL(tunnelUrl(line.world.app)).origin.replace('ws', 'http') },
      ...{ token, dataDir: inFolder(`data-${count}`), name: `edge-${count}` },
    },
    {},
    '/',
  );
  agent = await startAgent(read, { log: silentLog, env });
  await expect.poll(async () => (await line.json('kube', 'ls', name)).length).toBe(1);
}

const check = (name: string) => line.local('kube', 'check', name);
const bearers = () => cluster.seen.flatMap(({ headers }) => headers.authorization ?? []);

test('the gateway acts with the token of the agent, which alone dials; the list says whose it is', async () => {
  const token = cluster.token({ user: 'admin', groups: ['system:masters'] });
  await offer('by-token', { token });

  const checked = await check('by-token');
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('through an agent in its network')]);
  expect(checked.stdout).toMatch(/version +it is Kubernetes/);
  expect(bearers().at(-1)).toBe(`Bearer ${token}`);
  const [listed] = await line.json('kube', 'ls', 'by-token');
  expect(listed.gatehouse).toMatchObject({ source: 'agent', credential: 'agent', lacks: [], ways: 1, connected: 1 });
  const refused = await line.local('kube', 'rm', 'by-token');
  expect(refused.stderr).toContain("agents offer the Kubernetes cluster 'by-token'");
});

test('a client certificate is read from its files, and the tunnel carries it to the gateway', async () => {
  const { cert, key } = await cluster.certificate('admin', ['system:masters']);
  write('client.crt', cert);
  write('client.key', key);
  await offer('by-cert', { 'client-certificate': 'client.crt', 'client-key': 'client.key' });
  expect((await check('by-cert')).code).toBe(0);
});

test('a program of the kubeconfig runs at the agent, without its environment, and once for as long as it says', async () => {
  const token = cluster.token({ user: 'admin', groups: ['system:masters'] });
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const answer = JSON.stringify({ kind: 'ExecCredential', status: { token, expirationTimestamp: expires } });
  write('plugin', `#!/bin/sh\nenv > ${inFolder('env')}\necho run >> ${inFolder('runs')}\necho '${answer}'\n`);
  chmodSync(inFolder('plugin'), 0o755);
  const env = { GATEHOUSE_AGENT_TOKEN: 'secret', AWS_PROFILE: 'prod', HOME: '/root' };
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', args: ['get-token'] };
  await offer('by-program', { exec: { ...exec, env: [{ name: 'OWN', value: 'yes' }] } }, env);

  expect((await check('by-program')).code).toBe(0);
  expect((await check('by-program')).code).toBe(0);
  expect(bearers().at(-1)).toBe(`Bearer ${token}`);
  expect(readFileSync(inFolder('runs'), 'utf8')).toBe('run\n');
  const seen = readFileSync(inFolder('env'), 'utf8');
  expect(seen).toMatch(/^AWS_PROFILE=prod$/m);
  expect(seen).toMatch(/^OWN=yes$/m);
  expect(seen).toMatch(/^KUBERNETES_EXEC_INFO=.*"interactive":false/m);
  expect(seen).not.toContain('secret');
});

test('a program that fails is told in its words, and tried again the next time', async () => {
  write('failing', '#!/bin/sh\necho "your session has expired" >&2\nexit 3\n');
  chmodSync(inFolder('failing'), 0o755);
  await offer('by-failing', { exec: { command: './failing' } });
  const checked = await check('by-failing');
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain("the program './failing' ended with 3: your session has expired");
  const token = cluster.token({ user: 'admin', groups: ['system:masters'] });
  const answer = JSON.stringify({ kind: 'ExecCredential', status: { token } });
  write('failing', `#!/bin/sh\necho '${answer}'\n`);
  expect((await check('by-failing')).code).toBe(0);
});

test('while no agent is there it is told, and its name stays with it until somebody frees it', async () => {
  await offer('leaving', { token: 'x' });
  await agent?.stop('for now');
  agent = undefined;
  await expect.poll(async () => (await line.json('kube', 'ls', 'leaving')).length).toBe(0);
  write('admin.yaml', cluster.kubeconfig({ token: cluster.adminToken }));
  const add = () => line.local('kube', 'add', 'leaving', '--kubeconfig', 'admin.yaml', '--as-is');
  expect((await add()).stderr).toContain('free it first with: gatehouse kube free leaving');
  expect((await line.local('kube', 'names')).stdout).toContain('leaving');
  expect((await line.local('kube', 'free', 'leaving')).code).toBe(0);
  expect((await add()).code).toBe(0);
});

test.each([
  [{ name: 'x' }, /either a kubeconfig, or inCluster/],
  [{ name: 'x', inCluster: true }, /ENOENT.*serviceaccount/],
  [{ name: 'x', kubeconfig: '/nowhere/config' }, /ENOENT.*nowhere/],
  [{ name: 'X', kubeconfig: '/etc/config' }, /must be lower-case/],
])('%j in the agent file is refused with the reason', (item, words) => {
  write('wrong.yaml', stringify({ kubernetes: [item] }));
  expect(existsSync('/var/run/secrets/kubernetes.io')).toBe(false);
  const read = () => readAgentConfig({ config: inFolder('wrong.yaml'), gateway: 'http://127.0.0.1:1' }, {}, '/');
  expect(read).toThrow(words);
});
