/** What has to be said over a terminal: that it connects, is lost, has ended, or that a program asks for something. */
import { Button, buttonClass } from '@gatehouse/design/button';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { useDelay } from '@gatehouse/design/use-delay';
import CircleOff from 'lucide-react/icons/circle-off';
import ClipboardCopy from 'lucide-react/icons/clipboard-copy';
import Info from 'lucide-react/icons/info';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { asSentence, withStop } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PageLink } from '../../../platform/routing/routing.tsx';
import { isOwnSession, type LiveTerminal, type TerminalView } from '../session/live-terminal.ts';
import type { Ended, LineState } from '../session/terminal-socket.ts';
import { type Pane, paneName } from '../workspace/tabs.ts';
import styles from './pane.module.css';
import { RefusedCard } from './refused-card.tsx';

interface PaneMessagesProps {
  pane: Pane;
  live: LiveTerminal;
  view: TerminalView;
  onAgain: () => void;
  onClose: () => void;
}

export function PaneMessages({ pane, live, view, onAgain, onClose }: PaneMessagesProps) {
  const t = useTranslate();
  const { line, notice, clipboard, session } = view;
  const name = paneName(pane);
  const answerClipboard = (isWanted: boolean) => {
    if (isWanted && clipboard !== undefined) void navigator.clipboard?.writeText(clipboard).catch(() => {});
    live.change({ clipboard: undefined });
    live.screen.focus();
  };
  const again = (
    <>
      <Button size="small" onClick={onClose}>
        {t('terminal.close')}
      </Button>
      {line.is === 'ended' && line.ended.recorded && pane.sid !== undefined && (
        <PageLink
          page="player"
          params={{ clusterId: pane.clusterId, sid: pane.sid }}
          className={buttonClass({ size: 'small' })}
        >
          {t('terminal.recording-open')}
        </PageLink>
      )}
      {(pane.login !== '' || pane.exec) && (!session || isOwnSession(view)) && (
        <Button size="small" tone="primary" onClick={onAgain}>
          {t('terminal.open-again')}
        </Button>
      )}
    </>
  );
  if (line.is === 'refused') return <RefusedCard pane={pane} refused={line.refused} actions={again} />;
  return (
    <div className={styles.messages}>
      {clipboard !== undefined && (
        <Message
          icon={ClipboardCopy}
          title={t('terminal.clipboard-asks', { name })}
          text={t('terminal.clipboard-text', { count: clipboard.length })}
          actions={
            <>
              <Button size="small" onClick={() => answerClipboard(false)}>
                {t('terminal.dismiss')}
              </Button>
              <Button size="small" tone="primary" onClick={() => answerClipboard(true)}>
                {t('terminal.clipboard-copy')}
              </Button>
            </>
          }
        />
      )}
      {notice && notice.kind !== 'agent_back' && line.is !== 'ended' && (
        <Message
          icon={Info}
          tone="warn"
          title={t(`terminal.notice-${notice.kind}`)}
          text={asSentence(notice.text)}
          actions={
            notice.kind !== 'agent_lost' && (
              <Button size="small" onClick={() => live.change({ notice: undefined })}>
                {t('terminal.close')}
              </Button>
            )
          }
        />
      )}
      {line.is === 'connecting' && <Connecting name={name} />}
      {line.is === 'reconnecting' && <Lost line={line} session={session} onNow={live.check} />}
      {line.is === 'ended' && (
        <Message
          icon={CircleOff}
          title={endedTitle(t, line.ended)}
          // It begins with the name of a user, who is not written otherwise here.
          text={line.ended.cause === 'ended_by' ? withStop(line.ended.message) : asSentence(line.ended.message)}
          actions={again}
        />
      )}
    </div>
  );
}

function Connecting({ name }: { name: string }) {
  const t = useTranslate();
  const isShown = useDelay('short');
  return isShown && <Message busy title={t('terminal.connecting', { name })} />;
}

interface LostProps {
  line: Extract<LineState, { is: 'reconnecting' }>;
  session: TerminalView['session'];
  onNow: () => void;
}

function Lost({ line: { attempt, retryAt }, session, onNow }: LostProps) {
  const t = useTranslate();
  const { now, connection } = useBrowser();
  // The page says that the gateway is away, once for all terminals; they come back with it.
  const isGatewayAway = useSyncExternalStore(connection.subscribe, connection.state) === 'lost';
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), 500);
    return () => clearInterval(timer);
  }, [now]);
  const seconds = retryAt === undefined ? 0 : Math.ceil((retryAt - time) / 1000);
  const still = session?.survives ? 'terminal.lost-text' : 'terminal.lost-text-gateway';
  return (
    <Message
      busy
      title={seconds > 0 ? t('terminal.lost-in', { seconds }) : t('terminal.lost')}
      text={t(session ? still : 'terminal.lost-text-opening', { attempt })}
      actions={
        !isGatewayAway && (
          <Button size="small" onClick={onNow}>
            {t('terminal.try-now')}
          </Button>
        )
      }
    />
  );
}

function endedTitle(t: ReturnType<typeof useTranslate>, { cause, exitCode }: Ended): string {
  if (cause === 'exited' && exitCode) return t('terminal.ended-exited-code', { code: exitCode });
  return t(`terminal.ended-${cause}`);
}

interface MessageProps {
  icon?: IconComponent;
  tone?: 'warn';
  busy?: boolean;
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
}

function Message({ icon, tone, busy = false, title, text, actions }: MessageProps) {
  return (
    <div className={styles.message} role="status" data-tone={tone}>
      {busy && <SpinnerRing size="small" />}
      {icon && <Icon of={icon} />}
      <div className={styles.messageBody}>
        <b>{title}</b>
        {text && <span>{text}</span>}
      </div>
      {actions && <div className={styles.messageActions}>{actions}</div>}
    </div>
  );
}
