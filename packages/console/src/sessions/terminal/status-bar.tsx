/** The line under the terminal: how the connection is, who is there, what runs. */
import { ONE_LINE } from '@gatehouse/design/class-names';
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import { Tooltip } from '@gatehouse/design/tooltip';
import { useStore } from '../../platform/browser/store.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import styles from './console.module.css';
import { People } from './pane/people.tsx';
import { isOwnSession, type LiveTerminal, onlyWatches } from './session/live-terminal.ts';
import type { LineState } from './session/terminal-socket.ts';
import { Sparkline } from './sparkline.tsx';

export const LINE_DOTS: Record<LineState['is'], DotState> = {
  connecting: 'busy',
  open: 'ok',
  reconnecting: 'off',
  ended: 'off',
  refused: 'bad',
};
export const LINE_WORDS: Record<LineState['is'], WordId> = {
  connecting: 'terminal.line-connecting',
  open: 'terminal.line-open',
  reconnecting: 'terminal.line-reconnecting',
  ended: 'terminal.line-ended',
  refused: 'terminal.line-refused',
};

export function StatusBar({ live }: { live: LiveTerminal }) {
  const t = useTranslate();
  const { line, gatewayMs, serverMs, session, parties, program, title, size, link } = useStore(live.view);
  const ms = Math.round(gatewayMs.at(-1) ?? 0);
  const isOpen = line.is === 'open';
  return (
    <footer className={styles.status}>
      <span role="status">
        <StatusDot state={LINE_DOTS[line.is]}>{t(LINE_WORDS[line.is])}</StatusDot>
      </span>
      {isOpen && gatewayMs.length > 0 && (
        <Tooltip content={t('terminal.latency-hint', { ms })}>
          <span className={styles.fact}>
            <Sparkline values={gatewayMs} />
            {t('terminal.latency', { ms })}
          </span>
        </Tooltip>
      )}
      {isOpen && serverMs !== undefined && (
        <Tooltip content={t('terminal.latency-server-hint', { ms: Math.round(serverMs) })}>
          <span className={styles.fact}>{t('terminal.latency-server', { ms: Math.round(serverMs) })}</span>
        </Tooltip>
      )}
      {session?.recorded && line.is !== 'ended' && (
        <Tooltip content={t('terminal.recording-hint')}>
          <span className={styles.fact}>
            <span className={styles.rec} aria-hidden="true" />
            {t('terminal.recording')}
          </span>
        </Tooltip>
      )}
      {parties.length > 1 && isOwnSession({ session, parties }) && line.is !== 'ended' && (
        <span className={styles.fact}>
          <People parties={parties} />
        </span>
      )}
      {session && onlyWatches({ session }) && <span className={styles.fact}>{t('terminal.watching')}</span>}
      <span className={styles.middle}>
        {link !== undefined && <span className={ONE_LINE}>{t('terminal.link-hint', { address: link })}</span>}
      </span>
      {(program || title) !== '' && <code className={styles.aside}>{program || title}</code>}
      {session && (
        <span className={styles.aside} title={t('terminal.size-hint')}>
          {t('terminal.size', size)}
        </span>
      )}
    </footer>
  );
}
