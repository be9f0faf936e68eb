/** Why no SSH connection came of it: for the person who waits, with what to do about it. */
import type { ErrorCode } from '@gatehouse/contract/wire/errors';
import { AppError } from '../../../platform/std/app-error.ts';

export const SSH_FAILURES = {
  /** The server shows a key that is not among the pinned ones, or a certificate that is not believed. */
  host_key: 'target_unreachable',
  /** It knows the certificate's authority or the login not; it tells nobody which. */
  not_accepted: 'denied',
  /** It took the certificate and refused the login afterwards: a locked account, a rule of its own. */
  login_refused: 'denied',
  /** It asks for more than a certificate. */
  other_factor: 'denied',
  timed_out: 'target_unreachable',
  /** What answers speaks no SSH, or none we speak. */
  protocol: 'target_unreachable',
  lost: 'target_unreachable',
} as const satisfies Record<string, ErrorCode>;
export type SshFailureReason = keyof typeof SSH_FAILURES;

export interface ShownHostKey {
  /** What the server showed. */
  fingerprint: string;
  type: string;
  /** What was expected of it. */
  pinned: readonly string[];
}

interface SshFailureOptions extends ErrorOptions {
  /** What to do next, in one or two sentences. */
  next: string;
  /** How far it came. */
  stage: 'handshake' | 'login';
  hostKey?: ShownHostKey;
}

export class SshFailure extends AppError {
  readonly reason: SshFailureReason;
  readonly next: string;
  readonly stage: SshFailureOptions['stage'];
  readonly hostKey: ShownHostKey | undefined;

  constructor(reason: SshFailureReason, message: string, { next, stage, hostKey, cause }: SshFailureOptions) {
    super(SSH_FAILURES[reason], message, { cause, fields: { reason, next } });
    this.name = 'SshFailure';
    this.reason = reason;
    this.next = next;
    this.stage = stage;
    this.hostKey = hostKey;
  }
}
