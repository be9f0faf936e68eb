/** What agents and join tokens say of Kubernetes clusters. */
import { z } from 'zod';
import { resourceLabels } from '../../std/resource-fields.ts';
import { kubeName, offeredKubeSpec } from './kube-spec.ts';

/** On the agent's machine. It stands in a shell script and in YAML. */
export const kubeconfigPath = z
  .string()
  .max(1_024)
  .regex(/^\/[A-Za-z0-9._/-]+$/, 'must be the whole path of a kubeconfig on the machine of the agent');

export const kubeSchemas = {
  reported: z.object({
    kind: z.literal('kube'),
    /** Its name: the same cluster of several agents is one. */
    id: z.string().max(64),
    name: kubeName,
    labels: resourceLabels,
    spec: offeredKubeSpec,
  }),
  offerName: z
    .string()
    .max(63)
    .regex(/^[a-z0-9*](?:[a-z0-9.*-]*[a-z0-9*])?$/, 'must be a name of a Kubernetes cluster; * stands for any letters'),
  named: z.strictObject({ name: kubeName, kubeconfig: kubeconfigPath }),
} as const;
