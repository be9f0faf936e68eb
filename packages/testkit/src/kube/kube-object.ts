/** What every object of Kubernetes is made of, and the few helpers that read one. */

export type Json = string | number | boolean | null | Json[] | JsonRecord;
export interface JsonRecord {
  [key: string]: Json | undefined;
}

export interface KubeMetadata extends JsonRecord {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
}

export interface KubeObject extends JsonRecord {
  apiVersion: string;
  kind: string;
  metadata: KubeMetadata;
}

/** What a failure is told by: kubectl prints its message behind its reason. */
export class KubeFailure extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonRecord | undefined;
  constructor(code: number, reason: string, message: string, details?: JsonRecord) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

export function statusOf({ code, reason, message, details }: KubeFailure): JsonRecord {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** The value that stands at `path`, whatever is on the way there. */
export function at(value: Json | undefined, ...path: (string | number)[]): Json | undefined {
  let here: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)];
    else if (here !== null && typeof here === 'object') here = here[step];
    else return undefined;
  }
  return here;
}

export function record(value: Json | undefined): JsonRecord {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}

export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function strings(value: Json | undefined): string[] {
  return list(value).filter((each) => typeof each === 'string');
}

/** As a server writes times: whole seconds. */
export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
