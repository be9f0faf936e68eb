/** Lets others go first when the processor is short: this process, or on Linux the thread that calls it alone. */
import { constants, getPriority, setPriority } from 'node:os';

/** From where it is: nobody but root may take back what a gateway was started with. */
export function stepBack(by: number): void {
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + by));
}
