/** When the words that were looked for were on the screen; each opens the player at that second. */
import { Icon } from '@gatehouse/design/icon';
import ArrowRight from 'lucide-react/icons/arrow-right';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import { Marked } from '../marked.tsx';
import { playerPath, secondsText } from '../player-path.ts';
import { clockText } from '../recording-facts.ts';
import type { Hit, RecordingRow } from '../recording-queries.ts';
import styles from './hits.module.css';

interface HitsProps {
  clusterId: string;
  row: RecordingRow;
  hits: readonly Hit[];
  words: string;
}

export function Hits({ clusterId, row, hits, words }: HitsProps) {
  const t = useTranslate();
  return (
    <ol className={styles.hits}>
      {hits.map((hit) => (
        <li key={`${hit.ms} ${hit.line}`}>
          <PathLink
            path={playerPath(clusterId, row, { t: secondsText(hit.ms), find: words })}
            className={styles.hit}
            aria-label={t('recordings.hit-at', { time: clockText(hit.ms), line: hit.line })}
          >
            <time>{clockText(hit.ms)}</time>
            <Marked line={hit.line} marks={hit.marks} />
          </PathLink>
        </li>
      ))}
      {row.moreHits && (
        <li>
          <PathLink path={playerPath(clusterId, row, { find: words })} className={styles.more}>
            {t('recordings.more-hits')}
            <Icon of={ArrowRight} size={14} />
          </PathLink>
        </li>
      )}
    </ol>
  );
}
