/** Why a connection to a database did not come about, or was cut. */

/** `refused`: the database said no, in its own words. `unsafe`: it wants what must not be sent to it. `malformed`: no message of its protocol. `left`: the client, before it came in. `ended`: by the gateway, before it came in. `unrecorded`: it has to be recorded, and cannot. */
export type DbFailureKind =
  | 'refused'
  | 'unsafe'
  | 'unsupported'
  | 'malformed'
  | 'gone'
  | 'left'
  | 'ended'
  | 'unrecorded';

interface DbFailureOptions extends ErrorOptions {
  /** As the protocol has it: a SQLSTATE, a number of MySQL. */
  code?: string;
  /** What to do about it. */
  next?: string;
}

export class DbFailure extends Error {
  readonly kind: DbFailureKind;
  readonly code: string | undefined;
  readonly next: string;
  constructor(kind: DbFailureKind, message: string, options: DbFailureOptions = {}) {
    super(message, options);
    this.name = 'DbFailure';
    this.kind = kind;
    this.code = options.code;
    this.next = options.next ?? '';
  }
}

export function malformed(message: string): DbFailure {
  return new DbFailure('malformed', message);
}
