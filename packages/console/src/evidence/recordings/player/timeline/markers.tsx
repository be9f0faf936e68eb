/** What happened when, above the strip: people, lost output and sizes as signs, commands and hits as ticks. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import Flag from 'lucide-react/icons/flag';
import Info from 'lucide-react/icons/info';
import LogIn from 'lucide-react/icons/log-in';
import LogOut from 'lucide-react/icons/log-out';
import Scaling from 'lucide-react/icons/scaling';
import Square from 'lucide-react/icons/square';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { clockText } from '../../recording-facts.ts';
import type { Hit } from '../../recording-queries.ts';
import { riskOf } from '../risky-commands.ts';
import styles from './timeline.module.css';

type Moment = RecordingDetails['markers'][number];

interface MarkersProps {
  markers: readonly Moment[];
  hits: readonly Hit[];
  shareOf: (ms: number) => number;
}

const SIGNS: Partial<Record<Moment['type'], IconComponent>> = {
  join: LogIn,
  leave: LogOut,
  resize: Scaling,
  gap: TriangleAlert,
  note: Info,
  end: Square,
  command: Flag,
};
/** Signs that would lie on each other are left out: the list beside tells them all. */
const APART_SHARE = 0.012;
/** As many parts as the ticks are drawn in. */
const WIDE = 1_000;

export function Markers({ markers, hits, shareOf }: MarkersProps) {
  const t = useTranslate();
  const ticks = (times: readonly number[]) =>
    [...new Set(times.map((ms) => Math.round(shareOf(ms) * WIDE)))].map((at) => `M${at} 0v1`).join('');
  const commands = markers.filter(({ type }) => type === 'command').map(({ ms }) => ms);
  return (
    <div className={styles.markers} aria-hidden="true">
      <svg className={styles.ticks} viewBox={`0 0 ${WIDE} 1`} preserveAspectRatio="none" aria-hidden="true">
        <path d={ticks(commands)} className={styles.command} />
        <path d={ticks(hits.map(({ ms }) => ms))} className={styles.hit} />
      </svg>
      {apart(markers, shareOf).map(({ ms, type, text }) => (
        <span
          key={`${ms} ${type}`}
          className={styles.sign}
          data-type={type}
          style={{ left: `${shareOf(ms) * 100}%` }}
          title={t('player.marker-at', { time: clockText(ms), text: text || t(`player.marker-${type}`) })}
        >
          <Icon of={SIGNS[type] ?? Square} size={12} />
        </span>
      ))}
    </div>
  );
}

/** Of two in one place the more telling one is shown. */
function rank({ type }: Moment): number {
  return ['resize', 'note', 'leave', 'join', 'command', 'gap'].indexOf(type);
}

function apart(markers: readonly Moment[], shareOf: (ms: number) => number): Moment[] {
  const signs = markers.filter(({ type, ms, text }) => {
    if (type === 'command') return riskOf(text) !== undefined;
    return SIGNS[type] && type !== 'end' && !(type === 'resize' && ms === 0);
  });
  const shown: Moment[] = [];
  for (const marker of signs.toSorted((a, b) => a.ms - b.ms)) {
    const before = shown.at(-1);
    if (!before || shareOf(marker.ms) - shareOf(before.ms) > APART_SHARE) shown.push(marker);
    else if (rank(marker) > rank(before)) shown[shown.length - 1] = marker;
  }
  return shown;
}
