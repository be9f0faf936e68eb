/** Starts etcd and the kube-apiserver that `build.mjs` made, in a folder of their own: real API, roles, impersonation and watches, no kubelet. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { makeKubeAuthority } from '@gatehouse/testkit/kube/kube-certificates';
import { PROGRAMS } from './build.mjs';

const READY_MS = 120_000;
const LOOK_MS = 250;

export interface RealCluster {
  url: string;
  /** As PEM. */
  ca: string;
  /** Of somebody in `system:masters`. */
  token: string;
  /** Of the user `gateway`, who may nothing yet. */
  gatewayToken: string;
  stop(): Promise<void>;
}

export async function startRealCluster(): Promise<RealCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-real-cluster-'));
  const { ca, server } = await makeKubeAuthority();
  const [token, gatewayToken] = [randomBytes(18).toString('base64url'), randomBytes(18).toString('base64url')];
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  execFileSync('openssl', ['genrsa', '-out', join(folder, 'accounts.key'), '2048'], { stdio: 'ignore' });
  const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
  const at = (number: number) => `http://127.0.0.1:${number}`;
  const etcd = start(folder, PROGRAMS.etcd, [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${at(clients)}`,
    `--advertise-client-urls=${at(clients)}`,
    `--listen-peer-urls=${at(peers)}`,
    `--initial-advertise-peer-urls=${at(peers)}`,
    `--initial-cluster=default=${at(peers)}`,
  ]);
  const api = start(folder, PROGRAMS.apiserver, [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--insecure-port=0',
    `--etcd-servers=${at(clients)}`,
    '--endpoint-reconciler-type=none',
    '--authorization-mode=RBAC',
    `--client-ca-file=${file('ca.crt', ca)}`,
    `--tls-cert-file=${file('server.crt', server.cert)}`,
    `--tls-private-key-file=${file('server.key', server.key)}`,
    `--token-auth-file=${file('tokens.csv', `${token},admin,1,"system:masters"\n${gatewayToken},gateway,2\n`)}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--api-audiences=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'accounts.key')}`,
    `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    // Nobody makes the accounts of namespaces here: that is another program's work.
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const stop = async () => {
    for (const { child, ended } of [api, etcd]) {
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `https://127.0.0.1:${port}`;
  try {
    await ready(`${url}/readyz`, ca, token, api);
  } catch (error) {
    const said = readFileSync(join(folder, 'kube-apiserver.log'), 'utf8').slice(-2_000);
    await stop();
    throw new Error(`the API server did not become ready: ${String(error)}\n${said}`);
  }
  return { url, ca, token, gatewayToken, stop };
}

interface Started {
  child: ChildProcess;
  ended: Promise<void>;
  isOver(): boolean;
}

function start(folder: string, program: string, args: readonly string[]): Started {
  const log = join(folder, `${program.split('/').at(-1)}.log`);
  const child = spawn('sh', ['-c', 'exec "$0" "$@" > "$LOG" 2>&1', program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', LOG: log },
    stdio: 'ignore',
  });
  let isOver = false;
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      isOver = true;
      resolve();
    }),
  );
  return { child, ended, isOver: () => isOver };
}

async function ready(url: string, ca: string, token: string, api: Started): Promise<void> {
  for (const until = Date.now() + READY_MS; Date.now() < until; ) {
    if (api.isOver()) throw new Error('it has ended');
    const code = await new Promise<number>((resolve) => {
      get(url, { ca, agent: false, headers: { Authorization: `Bearer ${token}` } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      }).on('error', () => resolve(0));
    });
    if (code === 200) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`not within ${READY_MS} ms`);
}
