/**
 * A small cluster for tests: an API server that kubectl of 1.20 and 1.32 take for one. Objects, watches, roles, impersonation, logs,
 * exec, attach and port-forward are real; containers are processes of this machine and share its network and files.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type CertificatePair, makeKubeAuthority } from './kube-certificates.ts';
import { runControllers } from './kube-controllers.ts';
import type { StreamWires } from './kube-exec.ts';
import { type KubeIdentity, KubeTokens } from './kube-identity.ts';
import type { KubeObject } from './kube-object.ts';
import { type KubeContainer, runPods } from './kube-pods.ts';
import { createRbac } from './kube-rbac.ts';
import { firstObjects } from './kube-seed.ts';
import { type SeenRequest, type ServeDeps, serveRequest, serveUpgrade } from './kube-serve.ts';
import { KubeStore } from './kube-store.ts';
import { KubeTypes } from './kube-types.ts';
import { kubeconfig } from './kubeconfig.ts';

export interface KubeClusterOptions {
  /** `1.20`: SPDY and websocket v4. `1.32`: websocket v5 too, and port-forward inside a websocket. */
  version?: string;
  /** Other wires than the version has. */
  wires?: Partial<StreamWires>;
  /** Beside what every cluster has. */
  objects?: readonly KubeObject[];
  port?: number;
  bookmarkMs?: number;
}

export interface KubeCluster {
  url: string;
  port: number;
  /** As PEM. */
  ca: string;
  /** Of somebody in `system:masters`. */
  adminToken: string;
  /** Every request so far, as it came. */
  seen: SeenRequest[];
  /** A token that the cluster takes for this user. */
  token(who: KubeIdentity): string;
  /** From then on refused. */
  revoke(token: string): void;
  certificate(user: string, groups: readonly string[]): Promise<CertificatePair>;
  kubeconfig(credential: { token: string } | { certificate: CertificatePair }, namespace?: string): string;
  /** Writes an object, new or anew, past all rules. */
  put(object: KubeObject): KubeObject;
  get(apiVersion: string, kind: string, namespace: string, name: string): KubeObject | undefined;
  remove(apiVersion: string, kind: string, namespace: string, name: string): void;
  /** Resolves when the pod runs. */
  running(namespace: string, pod: string): Promise<void>;
  container(namespace: string, pod: string, name?: string): KubeContainer;
  restart(namespace: string, pod: string, name?: string): void;
  /** Whoever watches or lists on from before hears 410. */
  compact(): void;
  /** Cuts every connection, as a restart of the server does. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startKubeCluster(options: KubeClusterOptions = {}): Promise<KubeCluster> {
  const { version = '1.32', wires = {}, objects = [], bookmarkMs } = options;
  const minor = Number(version.split('.')[1]);
  const authority = await makeKubeAuthority();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-kube-'));
  const types = new KubeTypes(minor);
  const store = new KubeStore();
  const tokens = new KubeTokens();
  const stopControllers = runControllers(types, store, (namespace, account) =>
    token({
      user: `system:serviceaccount:${namespace}:${account}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    }),
  );
  const pods = runPods(types, store, folder);
  const seen: SeenRequest[] = [];
  const typeOf = (object: Pick<KubeObject, 'apiVersion' | 'kind'>) => {
    const type = types.ofObject(object);
    if (type === undefined) throw new Error(`the small cluster has no ${object.kind} of ${object.apiVersion}`);
    return type;
  };
  const put = (object: KubeObject): KubeObject => {
    const type = typeOf(object);
    const { namespace = '', name } = object.metadata;
    return store.has(type, namespace, name) ? store.update(type, object).object : store.create(type, object).object;
  };
  for (const object of [...firstObjects(minor), ...objects]) put(object);

  const deps: ServeDeps = {
    types,
    store,
    pods,
    rbac: createRbac(types, store),
    tokens,
    wires: {
      spdy: true,
      websockets: minor >= 30 ? ['v5.channel.k8s.io', 'v4.channel.k8s.io'] : ['v4.channel.k8s.io'],
      tunnel: minor >= 31,
      ...wires,
    },
    folder,
    seen,
    bookmarkMs,
  };
  const server = createServer(
    { ...authority.server, ca: authority.ca, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      void serveRequest(deps, request, response);
    },
  );
  server.requestTimeout = 0;
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    socket.on('error', () => {});
    if (head.length > 0) socket.unshift(head);
    void serveUpgrade(deps, request, socket);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}`;
  const token = (who: KubeIdentity) => {
    const made = `test.${randomBytes(18).toString('base64url')}`;
    tokens.add(made, who);
    return made;
  };
  const cut = () => {
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  };
  const pod = { apiVersion: 'v1', kind: 'Pod' };
  return {
    url,
    port,
    ca: authority.ca,
    adminToken: token({ user: 'admin', groups: ['system:masters'] }),
    seen,
    token,
    revoke: (given) => tokens.forget(given),
    certificate: authority.issue,
    kubeconfig: (credential, namespace) =>
      kubeconfig({ server: url, ca: authority.ca, ...credential, ...(namespace === undefined ? {} : { namespace }) }),
    put,
    get(apiVersion, kind, namespace, name) {
      const type = typeOf({ apiVersion, kind });
      return store.has(type, namespace, name) ? store.get(type, namespace, name).object : undefined;
    },
    remove: (apiVersion, kind, namespace, name) => void store.remove(typeOf({ apiVersion, kind }), namespace, name),
    async running(namespace, name) {
      const isRunning = () =>
        store.has(typeOf(pod), namespace, name) &&
        phaseOf(store.get(typeOf(pod), namespace, name).object) !== 'Pending';
      if (isRunning()) return;
      await new Promise<void>((resolve) => {
        const stop = store.onChange(() => {
          if (!isRunning()) return;
          stop();
          resolve();
        });
      });
    },
    container: (namespace, name, container = '') => pods.container(namespace, name, container),
    restart: (namespace, name, container = '') => pods.restart(namespace, name, container),
    compact: () => store.compact(),
    cut,
    async stop() {
      stopControllers();
      pods.stop();
      server.close();
      cut();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function phaseOf({ status }: KubeObject): string {
  return String((status as { phase?: string } | undefined)?.phase ?? 'Pending');
}
