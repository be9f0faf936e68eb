/** Approvals that one workbench has marked as used: each opens one connection that may write, and no more. */
import type { UsedApproval } from './approval-store.ts';
import type { TakenApproval } from './approvals.ts';

export class TakenApprovals {
  readonly #waiting = new Map<string, UsedApproval>();

  take({ id, by }: TakenApproval): void {
    this.#waiting.set(id, { id, by });
  }

  /** Throws for one that was not taken, or given before. */
  give(id: string | undefined): UsedApproval | undefined {
    if (id === undefined) return undefined;
    const found = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!found) throw new Error(`no approval '${id}' was taken`);
    return found;
  }
}
