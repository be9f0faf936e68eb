/** Kubernetes clusters as an agent offers them: those of kubeconfigs on its machine, and the one that it runs in. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { kubeconfigPath } from '@gatehouse/contract/kinds/kube/kube-schemas';
import {
  kubeDialAddress,
  kubeFields,
  kubeName,
  offeredKubeSpec,
  parseKubeServer,
} from '@gatehouse/contract/kinds/kube/kube-spec';
import { type KubeContext, type KubeconfigUser, readKubeContext } from '@gatehouse/contract/kinds/kube/kubeconfig';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseRule } from '../../reach/tcp/allow-rules.ts';
import { defineAgentKind } from '../agent-kind.ts';

/** Where Kubernetes puts what a pod is known by. */
export const POD_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** As every pod of a cluster calls its API server: the same for all of its agents. */
export const POD_SERVER = 'https://kubernetes.default.svc';

/** Where what it is shown comes from; asked anew each time. */
export type CredentialSource =
  | { tokenFile: string }
  /** Files are named from the folder of the kubeconfig. */
  | { user: KubeconfigUser; folder: string };

const offeredKube = z
  .strictObject({
    name: kubeName,
    labels: resourceLabels.default({}),
    kubeconfig: kubeconfigPath.optional(),
    /** The current one unless told. */
    context: z.string().max(256).default(''),
    /** The cluster that the agent is a pod of. */
    inCluster: z.boolean().default(false),
    namespaces: kubeFields.namespaces,
  })
  .transform(({ name, labels, kubeconfig, context, inCluster, namespaces }, issues) => {
    const refuse = (message: string, path: string): never => {
      issues.addIssue({ code: 'custom', path: [path], message });
      return z.NEVER;
    };
    if ((kubeconfig === undefined) !== inCluster)
      return refuse('say where it is: either a kubeconfig, or inCluster: true', 'kubeconfig');
    try {
      const { source, ...fields } = kubeconfig === undefined ? specOfPod() : ofFile(kubeconfig, context);
      const { data: spec, error } = offeredKubeSpec.safeParse({ ...fields, namespaces });
      const [issue] = error?.issues ?? [];
      if (!spec) return refuse(`${issue?.path.join('.')} ${issue?.message}`, 'kubeconfig');
      return { name, labels, spec, source };
    } catch (error) {
      return refuse(errorMessage(error), kubeconfig === undefined ? 'inCluster' : 'kubeconfig');
    }
  });

/** Of the cluster that this is a pod of. */
export function specOfPod(folder = POD_FOLDER) {
  return {
    ...{ server: POD_SERVER, ca: readFileSync(`${folder}/ca.crt`, 'utf8'), serverName: '' },
    source: { tokenFile: `${folder}/token` } as CredentialSource,
  };
}

function ofFile(file: string, wanted: string) {
  const context = readKubeContext(parse(readFileSync(file, 'utf8')), `'${file}'`, wanted);
  const { server, serverName, user, proxyUrl, isInsecure } = context;
  const wrong = (why: string) => new Error(`the context '${context.name}' of '${file}' ${why}`);
  if (user['auth-provider'])
    throw wrong(`signs in by the provider '${user['auth-provider'].name}': use an exec plugin`);
  if (proxyUrl !== '') throw wrong('is reached by a proxy (proxy-url), which the agent does not use');
  if (isInsecure) throw wrong('does not check the certificate of the cluster: give its authority');
  const folder = dirname(file);
  return { server, serverName, ca: authorityOf(context, folder), source: { user, folder } as CredentialSource };
}

function authorityOf({ ca }: KubeContext, folder: string): string {
  if (ca === undefined) return '';
  return 'data' in ca ? Buffer.from(ca.data, 'base64').toString() : readFileSync(resolve(folder, ca.file), 'utf8');
}

export const agentKubes = defineAgentKind({
  config: {
    kubernetes: z
      .array(offeredKube)
      .max(100)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'names a Kubernetes cluster twice')
      .default([]),
  },
  /** Its id is its name: the same cluster of several agents is one. */
  offer: ({ kubernetes }) =>
    kubernetes.map(({ name, labels, spec }) => ({ kind: 'kube', id: name, name, labels, spec })),
  /** Exactly the addresses of their API servers. */
  allowRules: ({ kubernetes }) =>
    kubernetes.flatMap(({ spec }) => {
      const address = parseKubeServer(spec.server);
      const rule = address && parseRule(kubeDialAddress(address));
      return rule === undefined || typeof rule === 'string' ? [] : [rule];
    }),
});
