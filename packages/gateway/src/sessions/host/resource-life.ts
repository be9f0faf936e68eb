/** What a change of a resource means for sessions with it, as its kind tells. */
import type { Resource } from '../../inventory/resource-store.ts';

export interface ResourceLife {
  /** In words: `server`. */
  called: string;
  /** Whether the row describes another thing than the one that was allowed and is connected. */
  isAnother(before: Resource, now: Resource): boolean;
  /** What then happened to it, in words; `changed` without them. */
  moved?: string;
  /** While its agent is away sessions wait for it; others are over. */
  waitsForAgent?: true;
}
