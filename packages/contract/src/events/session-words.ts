/** Sessions as a reviewer knows them: by who was where. Ids are for looking up, and stay in the details. */
import { z } from 'zod';
import { type Line, line, NOTHING, when } from './line.ts';

interface PlaceFields {
  login?: string | undefined;
  server_hostname?: string | undefined;
  server_addr?: string | undefined;
  server_id?: string | undefined;
  kubernetes_cluster?: string | undefined;
  kubernetes_pod_namespace?: string | undefined;
  kubernetes_pod_name?: string | undefined;
}

interface SessionFields extends PlaceFields {
  user?: string | undefined;
  sid?: string | undefined;
}

/** Ours: whose session it is, where `user` is somebody else. */
export const owner = z.string().optional();

/** `root@web-1`, or the pod or cluster of Kubernetes. Where nobody becomes another there, `the application grafana` by what its kind is called. */
export function place(fields: PlaceFields, noun?: string): Line {
  const { login, server_hostname, server_addr, server_id, kubernetes_cluster: cluster } = fields;
  if (cluster) {
    const { kubernetes_pod_namespace: namespace, kubernetes_pod_name: pod } = fields;
    return line`${pod ? line`the pod ${when(namespace, line`${namespace}/`)}${pod} of ` : NOTHING}the Kubernetes cluster ${cluster}`;
  }
  const host = server_hostname || server_addr || server_id;
  if (login) return line`${login}@${host}`;
  return noun === undefined ? line`${host}` : line`the ${noun} ${host}`;
}

/** `the session of ines on root@web-1`; by its id only where nothing else is known of it. */
export function sessionOf(whom: string | undefined, fields: SessionFields, noun?: string): Line {
  const isPlaced = fields.server_hostname || fields.server_id || fields.server_addr || fields.kubernetes_cluster;
  if (isPlaced) return line`${whom ? line`the session of ${whom}` : line`a session`} on ${place(fields, noun)}`;
  return line`the session ${fields.sid}${when(whom, line` of ${whom}`)}`;
}
