/** Why a page has no answer. */

/** The cluster, or a rule of ours, says no; or what it says cannot be used. */
export class KubeFailure extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}
