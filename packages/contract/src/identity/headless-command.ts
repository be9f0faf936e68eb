/** A command as whoever approves it reads it: on one line that steers no screen, and no longer than that. */
import { printable } from '../std/printable.ts';

/** Longer ones cannot be approved as what they are. */
export const MAX_HEADLESS_COMMAND = 4_096;

export function headlessCommand(command: string): string {
  return headlessWords(command, MAX_HEADLESS_COMMAND);
}

/** The same of other words that are shown there. */
export function headlessWords(text: string, most: number): string {
  return printable(text.toWellFormed().replaceAll(/[\u2028\u2029]/g, ' ')).slice(0, most);
}
