/** The command in its forms for containers, as the page prints them: what a container would run is run, and a Kubernetes API takes the rest. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment, ended } from '@gatehouse/testkit/gateway-process';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { createKubectl } from '@gatehouse/testkit/kube/kubectl';
import { startNginx } from '@gatehouse/testkit/nginx';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type DiscoverWorld, type Person, startDiscoverWorld, started } from './discover-world.ts';

let world: DiscoverWorld;
let one: Person;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-container-'));
  world = await startDiscoverWorld();
  one = await world.person();
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Of an application with an agent beside it. */
async function commandFor(name: string, uri: string, form: 'Docker' | 'Kubernetes'): Promise<string> {
  await one.at('?flow=app');
  await one.main.getByRole('radio', { name: /new agent/ }).check();
  await one.press('Go on');
  await one.field('Address').fill(uri);
  await one.field('Name').fill(name);
  await one.press('Make the command');
  await one.main.getByRole('tab', { name: form }).click();
  const region = one.page.getByRole('region', { name: /^Command for/ });
  return (await region.filter({ hasText: form === 'Docker' ? 'docker run' : 'kubectl apply' }).textContent()) ?? '';
}

/** A program that keeps the words and the input that it is given. */
function program(name: string): void {
  writeFileSync(
    join(folder, name),
    `#!/bin/sh\nprintf '%s\\0' "$@" >'${folder}/${name}.args'\n[ -t 0 ] || cat >'${folder}/${name}.in'\n`,
  );
  chmodSync(join(folder, name), 0o755);
}

const environment = () => ({ ...cleanEnvironment(), PATH: `${folder}:${process.env.PATH}` });
const wordsOf = (name: string) =>
  readFileSync(join(folder, `${name}.args`), 'utf8')
    .split('\0')
    .slice(0, -1);

test('Docker: the agent is fetched, joins, and is the same one when its container starts again', async () => {
  const nginx = await started(startNginx({ files: { 'index.html': 'hi' } }));
  program('docker');
  const command = await commandFor('boxed', `http://127.0.0.1:${nginx.port}`, 'Docker');
  execFileSync('sh', ['-c', command], { env: environment(), stdio: 'ignore' });
  const volume = join(folder, 'volume');
  const script = (wordsOf('docker').at(-1) ?? '')
    .replaceAll('/gatehouse/', `${volume}/`)
    .replace('--root /gatehouse ', `--root ${volume} `);
  const container = () => {
    const child = spawn('sh', ['-c', script], { env: cleanEnvironment(), stdio: 'ignore' });
    onTestFinished(async () => void (await ended(child, 'SIGKILL')));
    return child;
  };

  const first = container();
  // A whole agent with its Node is fetched, unpacked and started first.
  await one.page.getByRole('heading', { name: 'Test boxed' }).waitFor({ timeout: 90_000 });
  await one.testToTheEnd('boxed');
  const secret = join(volume, 'etc/gatehouse-agent/join.env');
  expect(existsSync(secret)).toBe(true);
  await ended(first, 'SIGKILL');
  container();
  await expect.poll(() => existsSync(secret), { timeout: 20_000 }).toBe(false);
  const agents = async () => (await world.gateway.command('agents', 'ls', '--format', 'json')).stdout;
  await expect.poll(async () => JSON.parse(await agents()).length).toBe(1);
});

test('Kubernetes: its API takes what the command applies, as it stands', async () => {
  const cluster = await started(startKubeCluster());
  const kubectl = createKubectl('1.32', cluster.kubeconfig({ token: cluster.adminToken }));
  onTestFinished(() => kubectl.remove());
  program('kubectl');
  const command = await commandFor('podded', 'http://127.0.0.1:1', 'Kubernetes');
  execFileSync('sh', ['-c', command], { env: environment(), stdio: 'ignore' });

  expect(wordsOf('kubectl')).toEqual(['apply', '-f', '-']);
  const applied = await kubectl.must(['apply', '-f', '-'], readFileSync(join(folder, 'kubectl.in')));
  expect(applied).toContain('statefulset.apps/gatehouse-agent created');
  const made = JSON.parse(await kubectl.must(['get', 'statefulset', 'gatehouse-agent', '-o', 'json']));
  expect(made.spec.template.spec.containers[0].command[2]).toContain('/install-app.sh?name=podded');
});
