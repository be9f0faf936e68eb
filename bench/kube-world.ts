/** What stands around the gateway in kube.bench.ts: the small cluster, and ways to it, straight and through. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { kubeconfig } from '@gatehouse/testkit/kube/kubeconfig';
import { createKubectl, type Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';

/** Where a client asks, and with what. */
export interface KubeEndpoint {
  name: string;
  url: string;
  ca: string;
  token: string;
  agent: Agent;
  kubectl: Kubectl;
}

export interface KubeBenchWorld {
  cluster: ChildProcess;
  gateway: ChildProcess;
  direct: KubeEndpoint;
  through: KubeEndpoint;
  /** For who sees a half of it. */
  filtered: KubeEndpoint;
  /** Through a process that hands bytes on and does nothing else. */
  relayed: KubeEndpoint;
  folder: string;
  close(): Promise<void>;
}

const GATEWAY = 'kube-gateway.ts';
/** By `gatehouse start`. */
const AS_STARTED = ['--min-semi-space-size=16'];
export const LOG_BYTES = 200 * 1024 * 1024;

export async function startWorld(folder: string): Promise<KubeBenchWorld> {
  const { cert, key, ca } = await makeCertificate(['localhost', '127.0.0.1']);
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), ca: join(folder, 'cluster-ca.pem') };
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  const start = async <Told>(file: string, env: Record<string, string>): Promise<[ChildProcess, Told]> => {
    const execArgv = ['--expose-gc', ...(file === GATEWAY ? AS_STARTED : [])];
    const child = fork(join(import.meta.dirname, file), { execArgv, env: { ...process.env, ...env } });
    child.once('exit', () => process.exit(2));
    const [told] = (await once(child, 'message')) as [Told];
    return [child, told];
  };
  const [cluster, there] = await start<{ url: string; ca: string; token: string; gatewayToken: string }>(
    'kube-cluster.ts',
    {
      BENCH_LOG_BYTES: String(LOG_BYTES),
    },
  );
  writeFileSync(files.ca, there.ca);
  const [gateway, { port, passes }] = await start<{ port: number; passes: Record<string, string> }>(GATEWAY, {
    BENCH_DATA: join(folder, 'data'),
    BENCH_CERT: files.cert,
    BENCH_KEY: files.key,
    BENCH_CA: files.ca,
    BENCH_SERVER: there.url,
    BENCH_TOKEN: there.gatewayToken,
  });
  const [relay, { port: relayPort }] = await start<{ port: number }>('kube-relay.ts', {
    BENCH_CERT: files.cert,
    BENCH_KEY: files.key,
    BENCH_CA: files.ca,
    BENCH_SERVER: there.url,
  });
  const endpoint = (name: string, url: string, authority: string, token: string): KubeEndpoint => ({
    ...{ name, url, ca: authority, token },
    agent: new Agent({ keepAlive: true, ca: authority, maxSockets: Number.POSITIVE_INFINITY }),
    kubectl: createKubectl('1.32', kubeconfig({ server: url, ca: authority, token, namespace: 'kube-public' })),
  });
  const at = (name: string) => endpoint(name, `https://localhost:${port}/v1/kube/${name}`, ca, passes[name] ?? '');
  const [direct, through, filtered] = [endpoint('direct', there.url, there.ca, there.token), at('whole'), at('part')];
  const relayed = endpoint('relayed', `https://localhost:${relayPort}`, ca, there.token);
  return {
    ...{ cluster, gateway, direct, through, filtered, relayed, folder },
    async close() {
      for (const { kubectl, agent } of [direct, through, filtered, relayed]) {
        kubectl.remove();
        agent.destroy();
      }
      for (const child of [gateway, relay, cluster]) {
        child.removeAllListeners('exit');
        child.send('stop');
        await once(child, 'exit');
      }
    },
  };
}

/** The answer as far as its head. */
export async function open({ url, agent, token }: KubeEndpoint, path: string): Promise<IncomingMessage> {
  const asked = request(`${url}${path}`, {
    agent,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path} was answered with ${response.statusCode}`);
  response.on('error', () => {});
  asked.on('error', () => {});
  return response;
}

/** In milliseconds, to the last byte. */
export async function read(endpoint: KubeEndpoint, path: string): Promise<{ ms: number; bytes: number }> {
  const began = performance.now();
  const response = await open(endpoint, path);
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  await once(response, 'end');
  return { ms: performance.now() - began, bytes };
}

export async function timed({ kubectl }: KubeEndpoint, args: readonly string[], input?: Buffer): Promise<number> {
  const began = performance.now();
  const { child, ended } = kubectl.start(args);
  // What is printed is read and thrown away: a text of 200 MB is no part of the measurement.
  child.stdout?.removeAllListeners('data');
  child.stdout?.resume();
  child.stdin?.end(input);
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return performance.now() - began;
}
