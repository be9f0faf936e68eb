/** What is on the screen of a session, small; or why that is not shown. */
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import EyeOff from 'lucide-react/icons/eye-off';
import Hourglass from 'lucide-react/icons/hourglass';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { ScreenPicture } from '../../shared/terminal-theme/screen-picture.tsx';
import type { LiveLook } from './follow-sessions.ts';
import { hasPicture, sessionIcon } from './session-facts.ts';
import styles from './sessions.module.css';

export function SessionPicture({ session, look }: { session: ActiveSession; look: LiveLook | undefined }) {
  const t = useTranslate();
  const { canJoinSessions } = usePageConfig();
  if (look) {
    return (
      <span className={styles.screen} aria-hidden="true">
        {look.type === 'screen' ? (
          <ScreenPicture screen={look} />
        ) : (
          <img className={styles.desktop} src={`data:image/png;base64,${look.png}`} alt="" />
        )}
      </span>
    );
  }
  const [icon, word] = instead(session, canJoinSessions);
  return (
    <span className={styles.noPicture}>
      <Icon of={icon} size={20} />
      {t(word)}
    </span>
  );
}

function instead(session: ActiveSession, canJoin: boolean): [IconComponent, WordId] {
  const { participantModes, state } = session;
  if (!hasPicture(session)) return [sessionIcon(session), 'sessions.picture-other'];
  if (!canJoin) return [EyeOff, 'sessions.picture-nobody'];
  if (!participantModes.includes('observer')) return [EyeOff, 'sessions.picture-none'];
  if (state !== 'live') return [Hourglass, 'sessions.picture-held'];
  return [sessionIcon(session), 'sessions.picture-soon'];
}
