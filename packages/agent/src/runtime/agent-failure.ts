/** Why an agent does not start, or does not go on: in one sentence, with what sort of failure it is. */

export type FailureKind =
  | 'failed'
  /** The gateway does not want it: the token is not good, or the agent was removed. */
  | 'denied'
  | 'unreachable'
  /** Somebody else is that already: another agent in the data folder, another server of that name. */
  | 'conflict';

export class AgentFailure extends Error {
  override name = 'AgentFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
