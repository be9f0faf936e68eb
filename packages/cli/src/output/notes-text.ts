/** What the gateway remarks on something it did, a line each. */
import { printable } from '@gatehouse/contract/std/printable';

export function notesText(notes: readonly string[] = []): string {
  return notes.map((note) => `note: ${printable(note)}\n`).join('');
}
