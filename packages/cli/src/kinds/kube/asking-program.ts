/** Which program wants a pass, where a script stands between it and this command: each run of a script is another process. Nothing but Node is imported. */
import { readFileSync } from 'node:fs';

/** What the program says to whom it starts, and those hand on. */
const SAID = 'KUBERNETES_EXEC_INFO=';
const MAX_SCRIPTS = 8;

/**
 * The first above that was not started for it. Told by what Linux shows of processes; where nothing is shown, whoever started this is
 * taken for the program.
 */
export function askingProgram(parent: number): number {
  let program = parent;
  for (let scripts = 0; scripts < MAX_SCRIPTS; scripts += 1) {
    try {
      if (
        !readFileSync(`/proc/${program}/environ`, 'latin1')
          .split('\0')
          .some((each) => each.startsWith(SAID))
      )
        return program;
      const above = parentOf(readFileSync(`/proc/${program}/stat`, 'latin1'));
      if (above <= 1) return program;
      program = above;
    } catch {
      return program;
    }
  }
  return program;
}

/** Its name stands in brackets, and may have any letters in it. */
function parentOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || 0;
}
