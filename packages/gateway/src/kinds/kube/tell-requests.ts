/** What the audit log is told of requests to Kubernetes clusters. */
import { kubeRequest } from '@gatehouse/contract/kinds/kube/kube-events';
import { kubeDebugContainer, kubePodPowers } from '@gatehouse/contract/kinds/kube/kube-object-events';
import type { Resource } from '../../inventory/resource-store.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import { withinRequest } from '../../platform/audit/request-scope.ts';
import type { Log } from '../../platform/std/log.ts';
import type { BodyFindings } from './body-findings.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import type { KubeIdentity } from './engine/request-headers.ts';
import type { KubeVisitor } from './kube-use.ts';

export interface TellRequestsDeps {
  events: Pick<EventStream, 'write'>;
  log: Log;
}

/** Queries have what was typed into search fields, and commands of exec. */
const MAX_PATH = 4_096;

export interface ToldRequest {
  visitor: Pick<KubeVisitor, 'caller' | 'address'>;
  resource: Resource;
  /** Nobody, where it was refused before that was known. */
  who: KubeIdentity | undefined;
  request: KubeRequest;
  requestId: string;
}

/** One about resources, once its answer has begun, or was refused. What clusters tell everybody of themselves is not told. */
export function tellRequest({ events, log }: TellRequestsDeps, told: ToldRequest, status: number): void {
  const { visitor, resource: cluster, who, request, requestId } = told;
  if (request.about === 'discovery') return;
  const { target, apiGroup, namespace, resource, name, subresource, verb } = request;
  const fields = {
    user: visitor.caller.username,
    'addr.remote': visitor.address,
    proto: 'kube',
    namespace: 'default',
    server_id: cluster.id,
    server_hostname: cluster.name,
    kubernetes_cluster: cluster.name,
    ...(who ? { kubernetes_users: [who.user], kubernetes_groups: [...who.groups] } : {}),
    kubernetes_labels: { ...cluster.labels },
    request_path: target.length > MAX_PATH ? `${target.slice(0, MAX_PATH)}…` : target,
    verb,
    resource_api_group: apiGroup,
    resource_namespace: namespace,
    resource_kind: subresource === '' ? resource : `${resource}/${subresource}`,
    resource_name: name,
    response_code: status,
  };
  // One id in this log and in the cluster's.
  withinRequest(requestId, () =>
    events.write(kubeRequest, fields, { signInId: visitor.caller.signInId }, 'soon'),
  ).catch((error: unknown) => log.error({ error }, 'a request to a Kubernetes cluster cannot be written to the log'));
}

/** What a body that was taken asks for and its path does not say. What was only tried out changes nothing. */
export function tellFindings({ events, log }: TellRequestsDeps, told: ToldRequest, found: BodyFindings): void {
  const { visitor, resource: cluster, who, request, requestId } = told;
  if (request.query.some(([key]) => key === 'dryRun')) return;
  const { apiGroup, namespace, resource, verb } = request;
  const about = {
    user: visitor.caller.username,
    'addr.remote': visitor.address,
    proto: 'kube',
    kubernetes_cluster: cluster.name,
    ...(who ? { kubernetes_users: [who.user], kubernetes_groups: [...who.groups] } : {}),
    kubernetes_labels: { ...cluster.labels },
  };
  const context = { signInId: visitor.caller.signInId };
  const writes: (() => Promise<unknown>)[] = found.debug.map(({ name, image, target, command }) => () => {
    const pod = { kubernetes_pod_namespace: namespace, kubernetes_pod_name: request.name };
    const container = {
      ...(name === undefined ? {} : { kubernetes_container_name: name }),
      ...(image === undefined ? {} : { kubernetes_container_image: image }),
      ...(target === undefined ? {} : { target_container: target }),
      ...(command === undefined ? {} : { initial_command: command }),
    };
    return events.write(kubeDebugContainer, { ...about, ...pod, ...container }, context, 'soon');
  });
  if (found.powers.length > 0)
    writes.push(() => {
      const object = {
        ...{ resource_api_group: apiGroup, resource_namespace: namespace },
        ...{ resource_kind: resource, resource_name: found.name },
      };
      return events.write(kubePodPowers, { ...about, ...object, verb, powers: [...found.powers] }, context, 'soon');
    });
  for (const write of writes)
    withinRequest(requestId, write).catch((error: unknown) =>
      log.error({ error }, 'what was asked of a Kubernetes cluster cannot be written to the log'),
    );
}
