/** What happens to a terminal, in words for who sits before it. */
import { printable } from '@gatehouse/contract/std/printable';
import type { TerminalNews } from '@gatehouse/tunnel/sessions/terminal-line';

export const LOST_NEXT = 'trying again; ~. ends it';

/** Undefined: nothing that one has to know. `wasHeld`: nobody could type before. */
export function newsWords(news: TerminalNews, wasHeld: boolean): string | undefined {
  if (news.type === 'notice') return printable(news.text);
  if (news.flow === 'live') return wasHeld ? 'it goes on' : undefined;
  const who = news.needs
    .map(({ missing, modes }) => `${missing} more ${modes.map(printable).join(' or ')}`)
    .filter((words, at, all) => all.indexOf(words) === at)
    .join(', or ');
  const could = news.could.length > 0 ? ` (could join: ${news.could.map(printable).join(', ')})` : '';
  const until = who === '' ? 'until those have joined whom a role wants' : `until there is ${who}`;
  return news.flow === 'waiting'
    ? `nothing begins ${until}${could}; Ctrl-C leaves`
    : `held ${until}${could}: what is typed now is not passed; ~. ends it`;
}

export function lostWords(origin: string, why: string): string {
  const because = why === '' ? '' : ` (${printable(why)})`;
  return `no connection to ${printable(origin)}${because}: ${LOST_NEXT}`;
}
