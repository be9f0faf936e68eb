/** The services of PostgreSQL's programs (`~/.pg_service.conf`): ours are put in and taken out, everything else stays byte by byte. */

/** The first line of ours: a service without it belongs to somebody else. */
const MARK = '# written by gatehouse db login; gatehouse db logout takes it out';

export class ForeignService extends Error {}

/** With the service, in place of the one of ours that has its name. */
export function withService(text: string, name: string, settings: Readonly<Record<string, string>>): string {
  const without = withoutService(text, name);
  const gap = without === '' || without.endsWith('\n') ? '' : '\n';
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  return `${without}${gap}[${name}]\n${MARK}\n${lines.join('')}`;
}

/** Throws `ForeignService` where somebody else wrote it. */
export function withoutService(text: string, name: string): string {
  const lines = text.split(/(?<=\n)/);
  const from = lines.findIndex((line) => line.trim() === `[${name}]`);
  if (from < 0) return text;
  if (lines[from + 1]?.trim() !== MARK) throw new ForeignService(name);
  let to = from + 2;
  // Ours has settings alone: a comment or a blank line behind them is somebody else's.
  while (to < lines.length && /^[a-z_]+=/.test(lines[to] ?? '')) to += 1;
  return [...lines.slice(0, from), ...lines.slice(to)].join('');
}
