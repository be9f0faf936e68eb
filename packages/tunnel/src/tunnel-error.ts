/** Every way a tunnel or one of its streams can fail or end, in words both sides can act on. */
import type { StreamRefusalCode } from '@gatehouse/contract/reach/tunnel/streams';
import { errorMessage } from '@gatehouse/contract/std/error-message';

export type TunnelErrorCode =
  /** The peer broke the protocol: garbage, too long, out of order. */
  | 'bad_peer'
  | 'timed_out'
  /** The gateway turned the agent away; `retry` says whether to come back. */
  | 'refused'
  /** The certificate or the channel is not the one that was to be trusted. */
  | 'untrusted'
  | 'unreachable'
  /** Something answered, but no gateway that speaks the tunnel. */
  | 'no_tunnel'
  /** The caller asked for something no tunnel can carry. */
  | 'bad_request'
  | 'closed'
  | 'draining'
  | 'busy'
  /** The peer or the connection gave a stream up before its end. */
  | 'reset';

export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: TunnelErrorCode;
  readonly retry: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    code: TunnelErrorCode,
    message: string,
    { retry = true, retryAfterMs, cause }: { retry?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    // Every stream that is cut makes one, and every call that is relayed cuts its stream: where from says nothing, and costs more than the
    // rest of it.
    const { stackTraceLimit } = Error;
    if (code === 'reset') Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The agent's own answer to a request for a stream. An agent's handler may throw it as well. */
export class StreamRefused extends Error {
  override readonly name = 'StreamRefused';
  readonly code: StreamRefusalCode;

  constructor(code: StreamRefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Why a tunnel is over. */
export interface TunnelEnd {
  code: 'closed_here' | 'closed_by_peer' | 'silent' | 'lost' | 'refused';
  reason: string;
  /** Whether the agent shall come back. */
  retry: boolean;
  retryAfterMs?: number;
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return errorMessage(error);
}
