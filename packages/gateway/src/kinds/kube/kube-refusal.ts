/** What the gateway answers where a cluster would have answered: a `Status`, which kubectl and its like print as they print the cluster's own. */
import { ERROR_STATUS, type ErrorCode } from '@gatehouse/contract/wire/errors';
import { AppError } from '../../platform/std/app-error.ts';
import type { KubeRequest } from './engine/kube-request.ts';

export interface KubeStatus {
  code: number;
  /** One word that clients switch on. */
  reason: string;
  message: string;
  details?: StatusDetails;
}

interface StatusDetails {
  name?: string;
  group?: string;
  /** The resource, as clusters write it there. */
  kind?: string;
  retryAfterSeconds?: number;
}

/** Clients log in again on 401, and sleep and try again on 429 and 503: each word must go with its number. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Expired'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

/** A refusal that says its own number: what `AppError` has no code for. */
export class KubeRefusal extends Error {
  readonly status: KubeStatus;
  constructor(status: Omit<KubeStatus, 'reason'> & { reason?: string }, options?: ErrorOptions) {
    super(status.message, options);
    this.name = 'KubeRefusal';
    this.status = { ...status, reason: status.reason ?? REASONS.get(status.code) ?? 'Unknown' };
  }
}

export function statusBody({ code, reason, message, details }: KubeStatus): Buffer {
  return Buffer.from(
    `${JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details ? { details } : {}),
      code,
    })}\n`,
  );
}

/**
 * An object that may not be used, by its name and never by whether it is there: `why` names the rule and the role, or says
 * that no role allows it.
 */
export function objectRefused(request: KubeRequest, why: string): KubeRefusal {
  const { verb, apiGroup, resource, subresource, namespace, name } = request;
  const kind = subresource === '' ? resource : `${resource}/${subresource}`;
  const whole = apiGroup === '' ? kind : `${kind}.${apiGroup}`;
  const what = name === '' ? whole : `${whole} "${name}"`;
  const where = namespace === '' ? '' : ` in the namespace "${namespace}"`;
  return new KubeRefusal({
    code: 403,
    message: `${what} is forbidden: ${verb}${where} is not for you: ${why}`,
    details: { ...(name === '' ? {} : { name }), ...(apiGroup === '' ? {} : { group: apiGroup }), kind: resource },
  });
}

/** Who is refused without a good pass. The plugin of kubectl is asked for another one then. */
export function notSignedIn(message: string): KubeRefusal {
  return new KubeRefusal({ code: 401, message });
}

const MAX_MESSAGE = 4_096;
const MAX_WARNING = 512;

/** Anything thrown, as what is answered. A mistake of ours keeps its words to itself. */
export function statusOf(error: unknown, requestId: string): KubeStatus {
  const status = error instanceof KubeRefusal ? error.status : plainStatus(error);
  return { ...status, message: `${status.message.slice(0, MAX_MESSAGE)} (request ${requestId})` };
}

/**
 * The same as a warning. kubectl asks first what a cluster has, and of a refusal there it reads the number alone: whoever lost their
 * access would hear that there are no pods. Warnings it prints, and each text once, so none has an id.
 */
export function warningOf(error: unknown): string {
  const { message } = error instanceof KubeRefusal ? error.status : plainStatus(error);
  const text = message
    .slice(0, MAX_WARNING)
    .replaceAll(/[^ -~]/g, '?')
    .replaceAll(/["\\]/g, '\\$&');
  return `299 - "${text}"`;
}

function plainStatus(error: unknown): KubeStatus {
  const isOurs = error instanceof AppError;
  const code = isOurs ? statusCode(error.code) : 500;
  return {
    code,
    reason: REASONS.get(code) ?? 'InternalError',
    message: isOurs && error.code !== 'internal' ? error.message : 'the gateway made a mistake, and logged it',
  };
}

/** The console's calls know no 401, and say 501 of what is not built: a client of Kubernetes would not understand either. */
function statusCode(code: ErrorCode): number {
  if (code === 'not_signed_in') return 401;
  return code === 'not_available' ? 503 : ERROR_STATUS[code];
}
