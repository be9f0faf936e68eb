/** A command as lists and the log show it. */
const MAX_COMMAND = 4_096;

/** For the log and lists, on one line. */
export function shown(command: string): string {
  const line = onOneLine(command);
  return line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND)}…` : line;
}

/** Without blanks around the ends of lines. By parts: a pattern for both would take as long as the square of a run of blanks. */
function onOneLine(command: string): string {
  const lines = command.split(/[\r\n]+/);
  const last = lines.length - 1;
  if (last === 0) return command;
  const parts = lines.map((line, at) => (at === 0 ? line.trimEnd() : at === last ? line.trimStart() : line.trim()));
  return parts.filter((part, at) => part !== '' || at === 0 || at === last).join(' ⏎ ');
}
