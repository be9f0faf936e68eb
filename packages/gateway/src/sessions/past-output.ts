/** Output of a terminal that is on disk. */
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';

export interface PastOutput {
  offset: number;
  bytes: Buffer;
  size: ShellSize | undefined;
}
