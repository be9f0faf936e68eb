/** The JavaScript client of Kubernetes, as much of it as tests use: another program than kubectl, by other hands. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';

const FOLDER = join(import.meta.dirname, '../../client-node/node_modules/@kubernetes/client-node');

interface NamedObject {
  metadata?: { name?: string; namespace?: string; resourceVersion?: string };
}

interface CoreApi {
  listNamespacedPod(wanted: { namespace: string; limit?: number; _continue?: string }): Promise<{
    items: NamedObject[];
    metadata?: { _continue?: string };
  }>;
  readNamespacedPod(wanted: { namespace: string; name: string }): Promise<NamedObject>;
  createNamespacedConfigMap(wanted: { namespace: string; body: unknown }): Promise<NamedObject>;
  deleteNamespacedConfigMap(wanted: { namespace: string; name: string }): Promise<unknown>;
}

interface KubeConfig {
  loadFromString(text: string): void;
  makeApiClient(api: unknown): CoreApi;
}

export interface ClientNode {
  KubeConfig: new () => KubeConfig;
  CoreV1Api: unknown;
  Watch: new (
    config: KubeConfig,
  ) => {
    watch(
      path: string,
      query: Record<string, string>,
      onEvent: (happened: string, object: NamedObject) => void,
      onEnd: (error: unknown) => void,
    ): Promise<AbortController>;
  };
  Log: new (
    config: KubeConfig,
  ) => {
    log(
      namespace: string,
      pod: string,
      container: string,
      output: Writable,
      options: { follow?: boolean; tailLines?: number },
    ): Promise<AbortController>;
  };
  Exec: new (
    config: KubeConfig,
  ) => {
    exec(
      namespace: string,
      pod: string,
      container: string,
      command: string[],
      stdout: Writable,
      stderr: Writable,
      stdin: Readable | null,
      tty: boolean,
      onStatus: (status: { status?: string; message?: string }) => void,
    ): Promise<{ close(): void }>;
  };
  PortForward: new (
    config: KubeConfig,
  ) => {
    portForward(
      namespace: string,
      pod: string,
      ports: number[],
      output: Duplex,
      errors: Writable | null,
      input: Readable,
    ): Promise<unknown>;
  };
}

export async function loadClientNode(): Promise<ClientNode> {
  if (!existsSync(FOLDER)) {
    throw new Error(
      "the JavaScript client of Kubernetes is not here: run 'node tools/client-node.mjs', as 'npm test' does",
    );
  }
  return (await import(join(FOLDER, 'dist/index.js'))) as ClientNode;
}
