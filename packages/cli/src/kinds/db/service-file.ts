/** The services of PostgreSQL's programs (`~/.pg_service.conf`): ours are put in and taken out, everything else stays byte by byte. */

import { isLineText } from '@gatehouse/contract/std/line-text';

/** The first line of ours: a service without it belongs to somebody else. */
const MARK = '# written by gatehouse db login; gatehouse db logout takes it out';

export class ForeignService extends Error {}

/** A file of lines: what breaks one would be a setting or a service of its own, for programs that run what settings say. */
export class BrokenSetting extends Error {}

/** With the service, in place of the one of ours that has its name. `text`: with a character for each byte, as it comes back. */
export function withService(text: string, name: string, settings: Readonly<Record<string, string>>): string {
  const without = withoutService(text, name);
  const gap = without === '' || without.endsWith('\n') ? '' : '\n';
  const lines = Object.entries(settings).map(([key, value]) => {
    if (!isLineText(value)) throw new BrokenSetting(key);
    return `${key}=${Buffer.from(value).toString('latin1')}\n`;
  });
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
