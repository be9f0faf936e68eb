/** What stands over a terminal that is held up: for whom it waits, since when, and who could come. */
import type { SessionNeed } from '@gatehouse/contract/sessions/terminal-frames';
import { Avatar } from '@gatehouse/design/avatar';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import DatabaseZap from 'lucide-react/icons/database-zap';
import Hourglass from 'lucide-react/icons/hourglass';
import Snowflake from 'lucide-react/icons/snowflake';
import { useEffect, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { TerminalView } from '../session/live-terminal.ts';
import styles from './people.module.css';

interface FrozenPanelProps {
  held: NonNullable<TerminalView['held']>;
  /** Ends what one has opened oneself, leaves what others have. */
  isOwn: boolean;
  onClose: () => void;
}

export function FrozenPanel({ held: { flow, since, needs, could }, isOwn, onClose }: FrozenPanelProps) {
  const t = useTranslate();
  const isWaiting = flow === 'waiting';
  // Nobody is missing: it is the gateway that holds it up.
  const isLost = needs.length === 0;
  if (isLost)
    return (
      <section className={styles.held} role="status" data-flow={flow}>
        <span className={styles.heldIcon}>
          <Icon of={DatabaseZap} size={20} />
        </span>
        <h2 className={styles.heldTitle}>{t('terminal.held-lost')}</h2>
        <p className={styles.heldText}>{t('terminal.held-lost-text')}</p>
        <div className={styles.heldFoot}>
          <Ticking since={Date.parse(since)} />
        </div>
      </section>
    );
  return (
    <section className={styles.held} role="status" data-flow={flow}>
      <span className={styles.heldIcon}>
        <Icon of={isWaiting ? Hourglass : Snowflake} size={20} />
      </span>
      <h2 className={styles.heldTitle}>{t(isWaiting ? 'terminal.held-waiting' : 'terminal.held-frozen')}</h2>
      <p className={styles.heldText}>
        {t(isWaiting ? 'terminal.held-waiting-text' : 'terminal.held-frozen-text')}{' '}
        {needs.map((need) => needWords(t, need)).join(` ${t('terminal.held-or')} `)}
      </p>
      {could.length > 0 ? (
        <div className={styles.could}>
          <span>{t('terminal.held-could')}</span>
          <ul>
            {could.map((name) => (
              <li key={name}>
                <Avatar name={name} />
                {name}
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <p className={styles.heldText}>{t('terminal.held-nobody')}</p>
      )}
      <div className={styles.heldFoot}>
        <Ticking since={Date.parse(since)} />
        <Button size="small" onClick={onClose}>
          {t(isOwn ? (isWaiting ? 'terminal.held-cancel' : 'terminal.held-end') : 'terminal.held-leave')}
        </Button>
      </div>
    </section>
  );
}

function needWords(t: ReturnType<typeof useTranslate>, { missing, modes, role }: SessionNeed): string {
  const as = modes.map((mode) => t(`terminal.mode-${mode}`)).join(` ${t('terminal.held-or')} `);
  return t('terminal.held-need', { count: missing, as, role });
}

function Ticking({ since }: { since: number }) {
  const { now } = useBrowser();
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), 1_000);
    return () => clearInterval(timer);
  }, [now]);
  const seconds = Math.max(0, Math.floor((time - since) / 1000));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  // Read out once a second it would drown everything else.
  return (
    <time className={styles.ticking} aria-hidden="true">
      {text}
    </time>
  );
}
