/** Why a command did not work, in one line, with the exit code that says what sort of failure it was. */

import { printable } from '@gatehouse/contract/std/printable';
import { visibleJson } from '@gatehouse/contract/std/visible-json';
import { type ExitName, exitCode } from './exit-codes.ts';

/** Thrown by a command that knows what went wrong. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exit: ExitName;
  /** More for the JSON form, such as the single problems of a configuration. */
  readonly details: object;

  constructor(exit: ExitName, message: string, details: object = {}) {
    super(message);
    this.exit = exit;
    this.details = details;
  }
}

/** Thrown by a command that ran a program, which has said what there was to say: the status is passed on. */
export class ProgramEnded extends Error {
  override name = 'ProgramEnded';
  readonly status: number;

  constructor(status: number) {
    super('');
    this.status = status;
  }
}

/** Told by name: importing the classes would load the gateway for every command. */
const BY_ERROR_NAME: Record<string, ExitName> = {
  ConfigError: 'config',
  StartError: 'failed',
  ExportError: 'failed',
  NoGatewayError: 'unreachable',
  NotOwnerError: 'denied',
};

/** What the system refused, which the operator can mend: its message names the file, and a stack would only hide it. */
const SYSTEM_CODES = new Set(
  'EACCES EPERM ENOENT ENOTDIR EISDIR EEXIST EROFS ENOSPC EDQUOT EMFILE ENFILE EADDRINUSE EADDRNOTAVAIL'.split(' '),
);

const BY_CALL_CODE: Record<string, ExitName> = {
  bad_request: 'usage',
  not_signed_in: 'denied',
  csrf_failed: 'denied',
  mfa_required: 'denied',
  denied: 'denied',
  not_found: 'notFound',
  conflict: 'conflict',
  compare_failed: 'conflict',
  unavailable: 'store',
  target_unreachable: 'target',
};

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return new Failure('failed', String(error));
  const { name, message } = error;
  if (name === 'CallError' && 'code' in error) {
    const code = String(error.code);
    const requestId = 'requestId' in error && error.requestId ? { requestId: error.requestId } : {};
    return new Failure(BY_CALL_CODE[code] ?? 'failed', message, { code, ...requestId, ...nextIn(error) });
  }
  const problems = 'problems' in error ? { problems: error.problems } : {};
  return new Failure(BY_ERROR_NAME[name] ?? 'failed', message, problems);
}

/** What the gateway says can be done about it. */
function nextIn(facts: object): { next?: string } {
  const fields = 'fields' in facts ? facts.fields : facts;
  if (typeof fields !== 'object' || fields === null || !('next' in fields)) return {};
  return typeof fields.next === 'string' ? { next: fields.next } : {};
}

/** A failure the program foresaw; anything else is a mistake of ours and worth its stack. */
export function isForeseen(error: unknown): boolean {
  if (error instanceof Failure) return true;
  if (!(error instanceof Error)) return false;
  if (error.name in BY_ERROR_NAME || error.name === 'CallError') return true;
  return 'syscall' in error && 'code' in error && SYSTEM_CODES.has(String(error.code));
}

export function formatFailure({ exit, message, details }: Failure, format: 'text' | 'json'): string {
  if (format === 'json') {
    return `${visibleJson({ error: { message, exit, exitCode: exitCode(exit), ...details } })}\n`;
  }
  const { next } = nextIn(details);
  const advice = next === undefined ? '' : `  → ${printable(next)}\n`;
  return `gatehouse: ${message.split('\n').map(printable).join('\n')}\n${advice}`;
}
