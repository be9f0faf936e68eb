/** The blocks of fields that events share, named as on the wire. */
import { z } from 'zod';

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const labels = z.record(z.string(), z.string()).optional();

/** An object whose inside is the business of whoever sent it. */
export const anyObject = z.record(z.string(), z.unknown());

/** Who did it: fields nearly every event has. */
export const byUser = {
  user: text,
  login: text,
  impersonator: text,
  aws_role_arn: text,
  access_requests: texts,
  azure_identity: text,
  gcp_service_account: text,
  trusted_device: anyObject.optional(),
} as const;

export const connection = { 'addr.local': text, 'addr.remote': text, proto: text } as const;

export const status = { success: z.boolean(), error: text, message: text } as const;

/** What an administrator makes, changes or removes. */
export const resource = { name: text, expires: text, updated_by: text, ttl: text } as const;

export const session = { sid: z.string(), with_mfa: text } as const;

export const server = {
  namespace: text,
  server_id: z.string(),
  server_hostname: text,
  server_addr: text,
  server_labels: labels,
  forwarded_by: text,
} as const;

/** Ours: which thing of which kind it was about. The wire has a place for the names of servers alone, filled for every kind. */
export const ofResource = { resource_kind: text, resource_name: text } as const;

/** Where the wire has no place for the session, ours is added: everything of one session must be findable. */
export const ofSession = { sid: text, server_id: text, server_hostname: text } as const;

export const kubeCluster = {
  kubernetes_cluster: text,
  kubernetes_users: texts,
  kubernetes_groups: texts,
  kubernetes_labels: labels,
} as const;

export const kubePod = {
  ...kubeCluster,
  kubernetes_pod_name: text,
  kubernetes_pod_namespace: text,
  kubernetes_container_name: text,
  kubernetes_container_image: text,
  kubernetes_node_name: text,
} as const;

export const database = {
  db_service: text,
  db_protocol: z.string(),
  db_uri: z.string(),
  db_name: text,
  db_user: text,
  db_labels: labels,
  db_aws_region: text,
  db_aws_redshift_cluster_id: text,
  db_gcp_project_id: text,
  db_gcp_instance_id: text,
} as const;

/** Ours: where a statement came in and what came of it, in one object beside the fields of the wire. */
export const statementFacts = {
  statement: z
    .object({
      door: z.string(),
      /** The process or thread of the server, as its own log has it. */
      backend: z.number().optional(),
      /** Of those of this session. */
      n: z.number(),
      /** By which somebody who must ask was allowed to write, and whose word it was. */
      approval: text,
      approved_by: text,
      /** Its number in the recording of the session, where there is one; the last of those it stands for. */
      recorded: z.number().optional(),
      ms: z.number().optional(),
      rows: z.number().optional(),
      bytes: z.number().optional(),
      /** It stands for so many, one after the other. */
      count: z.number().optional(),
      /** Of the whole text, where not all of it is told. */
      length: z.number().optional(),
      sha256: text,
    })
    .optional(),
} as const;

export const application = { app_uri: text, app_public_addr: text, app_labels: labels, app_name: text } as const;
