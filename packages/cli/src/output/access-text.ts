/** Answers about access in lines for people. */
import type { Explanation, UsableNames } from '@gatehouse/contract/access/explain/explain';
import type { AffectedName, Effect, whatIfRoutes } from '@gatehouse/contract/access/explain/what-if';
import { printable } from '@gatehouse/contract/std/printable';
import type { ReplyRead } from '@gatehouse/contract/wire/route';

const MAX_LINES = 50;

export function explanationText(answer: Explanation): string {
  const { sentence, reasons, change, rolesThatWould, names, allowed, lock } = answer;
  const lines = [
    // The sentence alone holds the change too; here that comes on lines of its own.
    allowed || lock || reasons.length > 0 ? sentence : 'denied: no role allows it',
    ...change.map((each, index) => {
      const lead = allowed ? 'would take it away' : 'would allow it';
      return `${index === 0 ? `${lead}: ` : '  and '}${each.sentence}`;
    }),
    ...(rolesThatWould.length > 0 ? [`roles that would allow it: ${rolesThatWould.join(', ')}`] : []),
    ...(names.length > 0 ? [`may now be used there: ${namesText(names)}`] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

export function namesText(names: UsableNames): string {
  const [only, second] = names;
  if (only && !second) return only.names.join(', ');
  return names.map(({ field, names: each }) => `${field}: ${each.join(', ')}`).join('; ');
}

export function whatIfText(answer: ReplyRead<(typeof whatIfRoutes)['whatIf']>): string {
  const { total, items, totalCount, rights, hiddenUsers } = answer;
  const way = (which: 'gained' | 'lost', verb: string) => {
    const users = total.users[which];
    const verbed = users === 1 ? `${verb}s` : verb;
    return `${count(users, 'user')} ${verbed} ${count(total.names[which], 'name')} on ${count(total.resources[which], 'resource')}`;
  };
  const shown = items.slice(0, MAX_LINES).map(effectLine);
  const more = totalCount - shown.length;
  const lines = [
    way('gained', 'gain'),
    way('lost', 'lose'),
    ...shown,
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...rights.items.slice(0, MAX_LINES).map(({ user, gained, lost }) => {
      const told = [
        ...gained.map(({ group, verb }) => `+${group}:${verb}`),
        ...lost.map(({ group, verb }) => `-${group}:${verb}`),
      ];
      return `${user}: ${told.join(' ')}`;
    }),
    ...(hiddenUsers > 0 ? [`counted, and you may not see them: ${count(hiddenUsers, 'user')}`] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

function effectLine({ user, kind, gained, lost, resourceCount, resourceNames }: Effect): string {
  const names = [...gained.map((each) => `+${nameText(each)}`), ...lost.map((each) => `-${nameText(each)}`)];
  const rest = resourceCount - resourceNames.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return `${user}: ${names.join(' ')} on ${kind} ${resourceNames.join(', ')}${more}`;
}

function nameText({ field, name, with: user }: AffectedName): string {
  if (field === 'connect') return 'connect';
  return user === undefined ? name : `${name} with ${user}`;
}

function count(amount: number, word: string): string {
  return `${amount} ${word}${amount === 1 ? '' : 's'}`;
}
