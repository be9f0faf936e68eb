/** What is on the screen of a session, small; or why that is not shown. */
import type { LiveScreen } from '@gatehouse/contract/sessions/live-frames';
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import EyeOff from 'lucide-react/icons/eye-off';
import Hourglass from 'lucide-react/icons/hourglass';
import { ScreenPicture } from '../terminal-look/screen-picture.tsx';
import { useWords, type WordId } from '../words/words.ts';
import { KIND_ICONS } from './session-facts.ts';
import styles from './sessions.module.css';

const LEAST = { cols: 80, rows: 18 } as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters terminals are steered with
const COLOUR = /\x1b\[[0-9;]*m/g;
/** May take two places; how many there are is then not worth counting. */
const WIDE = /[\u1100-\u115f\u2e80-\uffff]/;

export function SessionPicture({ session, screen }: { session: ActiveSession; screen: LiveScreen | undefined }) {
  const t = useWords();
  if (screen) {
    return (
      <span className={styles.screen} aria-hidden="true">
        <ScreenPicture screen={{ ms: 0, ...usedPart(screen) }} />
      </span>
    );
  }
  const [icon, word] = instead(session);
  return (
    <span className={styles.noPicture}>
      <Icon of={icon} size={20} />
      {t(word)}
    </span>
  );
}

/** Where a large screen is mostly empty, what is on it can be read better without the rest. */
export function usedPart({ cols, rows, ansi }: LiveScreen): Pick<LiveScreen, 'cols' | 'rows' | 'ansi'> {
  const lines = ansi.replaceAll(COLOUR, '').split('\r\n');
  const longest = WIDE.test(ansi) ? cols : Math.max(...lines.map((line) => line.length));
  return {
    cols: Math.min(cols, Math.max(LEAST.cols, longest)),
    rows: Math.min(rows, Math.max(LEAST.rows, lines.length)),
    ansi,
  };
}

function instead({ kind, participantModes, state }: ActiveSession): [IconComponent, WordId] {
  if (kind !== 'ssh') return [KIND_ICONS[kind], 'sessions.picture-other'];
  if (!participantModes.includes('observer')) return [EyeOff, 'sessions.picture-none'];
  if (state !== 'live') return [Hourglass, 'sessions.picture-held'];
  return [KIND_ICONS[kind], 'sessions.picture-soon'];
}
