/** Which parts the page of an object has. */
import type { KnownKind } from '../kinds.ts';
import type { KubeFacts } from '../read-object.ts';

export type ObjectPart = 'summary' | 'yaml' | 'events' | 'logs';

const RUN_PODS = new Set(['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'jobs']);

export function hasLogs({ apiGroup, resource }: KnownKind): boolean {
  return (apiGroup === '' && resource === 'pods') || RUN_PODS.has(resource);
}

/** Whether a shell can be begun in it now. */
export function hasShell({ apiGroup, resource }: KnownKind, { status }: KubeFacts): boolean {
  return apiGroup === '' && resource === 'pods' && status.phase === 'Running';
}

/** Ports behind which something may be looked at in a browser: TCP, each once. */
export function portsOf({ apiGroup, resource }: KnownKind, { spec }: KubeFacts): PodPort[] {
  if (apiGroup !== '') return [];
  const found =
    resource === 'services'
      ? spec.ports
      : resource === 'pods'
        ? spec.containers.flatMap(({ ports }) => ports.map((each) => ({ ...each, port: each.containerPort })))
        : [];
  const tcp = found.filter(({ port, protocol }) => port > 0 && (protocol === 'TCP' || protocol === ''));
  return [...new Map(tcp.map(({ name, port }) => [port, { name, port }])).values()];
}

export interface PodPort {
  /** May be empty. */
  name: string;
  port: number;
}

export function partsOf(kind: KnownKind): ObjectPart[] {
  return ['summary', ...(hasLogs(kind) ? (['logs'] as const) : []), 'yaml', 'events'];
}

export function isScalable({ apiGroup, resource }: KnownKind): boolean {
  return apiGroup === 'apps' && ['deployments', 'statefulsets', 'replicasets'].includes(resource);
}

export function isRestartable({ apiGroup, resource }: KnownKind): boolean {
  return apiGroup === 'apps' && ['deployments', 'statefulsets', 'daemonsets'].includes(resource);
}
