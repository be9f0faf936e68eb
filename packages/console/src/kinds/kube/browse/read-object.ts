/** Reads what is shown of an object. It may be of any shape: whatever does not fit is not there. */
import { z } from 'zod';

const text = z.string().catch('');
const count = z.number().catch(0);
const texts = z.record(z.string(), z.string()).catch({});
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) => items.flatMap((each) => item.safeParse(each).data ?? []) as z.output<Item>[]);

const containerState = z
  .object({
    waiting: z.object({ reason: text, message: text }).optional().catch(undefined),
    running: z.object({ startedAt: text }).optional().catch(undefined),
    terminated: z.object({ reason: text, exitCode: count, finishedAt: text }).optional().catch(undefined),
  })
  .catch({});

const containerPort = z.object({ name: text, containerPort: count, protocol: text });
const container = z.object({ name: text, image: text, ports: list(containerPort) });

const containerStatus = z.object({
  ...{ name: text, ready: z.boolean().catch(false), restartCount: count },
  ...{ state: containerState, lastState: containerState },
});

const metadata = z.object({
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  creationTimestamp: text,
  deletionTimestamp: text,
  labels: texts,
  ownerReferences: list(z.object({ kind: z.string(), name: z.string() })),
});

const servicePort = z.object({
  name: text,
  port: count,
  targetPort: z.union([z.string(), z.number()]).catch(''),
  protocol: text,
});

const spec = z.object({
  nodeName: text,
  serviceAccountName: text,
  replicas: z.number().optional().catch(undefined),
  schedule: text,
  type: text,
  clusterIP: text,
  ports: list(servicePort),
  containers: list(container),
  initContainers: list(container),
  /** Added to a pod that runs, to look into it. */
  ephemeralContainers: list(container),
  selector: z.unknown().optional(),
  template: z
    .object({ spec: z.object({ containers: list(container) }) })
    .optional()
    .catch(undefined),
});

const status = z.object({
  phase: text,
  reason: text,
  message: text,
  podIP: text,
  readyReplicas: count,
  conditions: list(z.object({ type: text, status: text, reason: text, message: text })),
  containerStatuses: list(containerStatus),
  ephemeralContainerStatuses: list(containerStatus),
  nodeInfo: z
    .object({ kubeletVersion: text, osImage: text, containerRuntimeVersion: text })
    .optional()
    .catch(undefined),
  capacity: texts,
});

const objectShape = z.object({
  apiVersion: text,
  kind: text,
  metadata: metadata.catch(metadata.parse({})),
  spec: spec.catch(spec.parse({})),
  status: status.catch(status.parse({})),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

export type KubeFacts = z.output<typeof objectShape>;

export interface KubeObject {
  facts: KubeFacts;
  /** All of it, as the cluster wrote it. */
  whole: Readonly<Record<string, unknown>>;
}

export function readObject(value: unknown): KubeObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const facts = objectShape.safeParse(value).data;
  return facts && { facts, whole: value as Record<string, unknown> };
}

const labelSelector = z.object({ matchLabels: z.record(z.string(), z.string()) });
const plainSelector = z.record(z.string(), z.string());

/** By which the pods of a workload or a service are found, as the API takes it; nothing where it has none. */
export function podSelector({ spec: { selector } }: KubeFacts): string | undefined {
  const labels = labelSelector.safeParse(selector).data?.matchLabels ?? plainSelector.safeParse(selector).data;
  const pairs = Object.entries(labels ?? {});
  return pairs.length === 0 ? undefined : pairs.map(([key, value]) => `${key}=${value}`).join(',');
}
