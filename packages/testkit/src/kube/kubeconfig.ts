/** A kubeconfig for a test's cluster, and the kubectl that tests drive with it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** In `.cache`, where `tools/kubectl.mjs` unpacks them. */
const PROGRAMS = join(import.meta.dirname, '../../../../.cache/kubectl');

export const KUBECTLS = ['1.20', '1.32'] as const;
export type KubectlVersion = (typeof KUBECTLS)[number];

export function kubectlProgram(version: KubectlVersion): string {
  const program = join(PROGRAMS, version, 'kubectl');
  if (existsSync(program)) return program;
  throw new Error(`kubectl ${version} is not here: run 'node tools/kubectl.mjs', as 'npm test' does`);
}

export interface KubeconfigOptions {
  server: string;
  ca?: string;
  token?: string;
  certificate?: { cert: string; key: string };
  namespace?: string;
}

/** As JSON, which is YAML too. */
export function kubeconfig({ server, ca, token, certificate, namespace = 'default' }: KubeconfigOptions): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
      clusters: [
        {
          name: 'test',
          cluster: { server, ...(ca === undefined ? {} : { 'certificate-authority-data': base64(ca) }) },
        },
      ],
      users: [
        {
          name: 'test',
          user: {
            ...(token === undefined ? {} : { token }),
            ...(certificate === undefined
              ? {}
              : {
                  'client-certificate-data': base64(certificate.cert),
                  'client-key-data': base64(certificate.key),
                }),
          },
        },
      ],
    },
    null,
    2,
  )}\n`;
}
