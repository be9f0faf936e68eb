/** A command as lists and the log show it. */
const MAX_COMMAND = 4_096;

/** For the log and lists, on one line. */
export function shown(command: string): string {
  const line = command.replaceAll(/\s*[\r\n]+\s*/g, ' ⏎ ');
  return line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND)}…` : line;
}
