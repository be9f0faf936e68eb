/** What was heard of a join token, in the order it happened, as lines that a person reads. */
import type { JoinProgress } from '@gatehouse/contract/reach/join-tokens/join-progress';
import { asSentence } from '../../platform/i18n/formats.ts';
import type { Translate } from '../../platform/i18n/words.ts';

export interface JoinLine {
  id: string;
  at: number;
  tone: 'fetched' | 'refused' | 'joined' | 'not-taken';
  title: string;
  text: string | undefined;
  /** What can be typed about it. */
  next: string | undefined;
}

export function joinLines(t: Translate, { fetched, joined, refused }: JoinProgress): JoinLine[] {
  const lines: Omit<JoinLine, 'id'>[] = [
    ...fetched.map(({ at, address }) => ({
      ...{ at: Date.parse(at), tone: 'fetched' as const, title: t('discover.story-fetched', { address }) },
      ...{ text: undefined, next: undefined },
    })),
    ...refused.map(({ at, address, name, reason, next }) => ({
      ...{ at: Date.parse(at), tone: 'refused' as const, text: asSentence(reason), next },
      title: name === '' ? t('discover.story-refused-script', { address }) : t('discover.story-refused', { name }),
    })),
    ...joined.flatMap(({ at, name, resources, offered, notTaken }) => [
      {
        ...{
          at: Date.parse(at),
          tone: 'joined' as const,
          title: t('discover.story-joined', { name }),
          next: undefined,
        },
        text: offeredWords(t, resources, offered),
      },
      ...notTaken.map(({ name: what, reason, next }) => ({
        ...{ at: Date.parse(at), tone: 'not-taken' as const, text: asSentence(reason), next },
        title: t('discover.story-not-taken', { name, what }),
      })),
    ]),
  ];
  return lines.map((line, index) => ({ ...line, id: `${line.tone} ${line.at} ${index}` })).sort((a, b) => a.at - b.at);
}

/** Nothing is said of what it has not said yet. */
function offeredWords(t: Translate, resources: readonly { name: string }[], offered: number | undefined) {
  if (offered === undefined) return undefined;
  if (offered === 0) return t('discover.story-offers-nothing');
  return t('discover.story-offers', { names: resources.map(({ name }) => name).join(', '), count: offered });
}
