/** What has to be said over a desktop: that it connects, is lost, waits, has ended, or cannot be drawn. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { SessionNeed } from '@gatehouse/contract/sessions/terminal-frames';
import { Button, buttonClass } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { StatusCard } from '@gatehouse/design/status-card';
import Hourglass from 'lucide-react/icons/hourglass';
import Snowflake from 'lucide-react/icons/snowflake';
import type { ReactNode } from 'react';
import { useTime } from '../../../platform/browser/use-time.ts';
import { asSentence, withStop } from '../../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../../platform/i18n/words.ts';
import { TestIt } from '../../../shared/connection-steps/test-it.tsx';
import { NO_FACTOR } from '../../../shared/line/numbered-line.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import type { Ended, LineState, Refused } from '../session/desktop-line.ts';
import { type DesktopView, isOwnSession, type LiveDesktop } from '../session/live-desktop.ts';
import page from './desktop.module.css';
import styles from './desktop-messages.module.css';

interface DesktopMessagesProps {
  clusterId: string;
  name: string;
  live: LiveDesktop;
  view: DesktopView;
  onAgain: () => void;
  onReload: () => void;
}

export function DesktopMessages({ clusterId, name, live, view, onAgain, onReload }: DesktopMessagesProps) {
  const t = useTranslate();
  const { line, held, notice, broken, session } = view;
  const toList = (
    <a className={buttonClass({})} href={pagePath('desktops', { clusterId })}>
      {t('desktop.to-list')}
    </a>
  );
  if (line.is === 'refused') return <RefusedCard {...{ name, onAgain, toList }} refused={line.refused} />;
  if (line.is === 'ended')
    return <EndedCard ended={line.ended} clusterId={clusterId} sid={session?.sid} onAgain={onAgain} toList={toList} />;
  if (broken)
    return (
      <Card
        tone="bad"
        title={t('desktop.broken')}
        actions={
          <>
            {toList}
            <Button tone="primary" onClick={onReload}>
              {t('desktop.reload')}
            </Button>
          </>
        }
      >
        <p>{t('desktop.broken-text')}</p>
        <p className={page.faint}>{t('desktop.broken-why', { why: broken.reason })}</p>
      </Card>
    );
  return (
    <>
      {notice && (
        <div className={styles.notices}>
          <Notice
            tone="warn"
            title={t(`desktop.notice-${notice.kind}`)}
            onDismiss={() => live.change({ notice: undefined })}
          >
            {asSentence(notice.text)}
          </Notice>
        </div>
      )}
      {line.is === 'reconnecting' && <Lost line={line} view={view} name={name} onNow={live.check} />}
      {held && line.is === 'open' && <Held held={held} isOwn={isOwnSession(view)} onLeave={() => live.end()} />}
      {!held && (line.is === 'connecting' || (line.is === 'open' && !view.isDrawn)) && (
        <Connecting name={name} view={view} />
      )}
    </>
  );
}

function Connecting({ name, view: { line, session, size } }: { name: string; view: DesktopView }) {
  const t = useTranslate();
  const step = line.is === 'connecting' ? 0 : session && size === undefined ? 1 : 2;
  const words = [
    t('desktop.connecting-gateway'),
    t('desktop.connecting-host', { name }),
    t('desktop.connecting-picture'),
  ];
  return (
    <div className={styles.floating} role="status">
      <SpinnerRing />
      <div>
        <h2>{t('desktop.connecting', { name })}</h2>
        <p>{words[step]}</p>
      </div>
    </div>
  );
}

interface LostProps {
  line: Extract<LineState, { is: 'reconnecting' }>;
  view: DesktopView;
  name: string;
  onNow: () => void;
}

function Lost({ line: { attempt, retryAt }, view: { session }, name, onNow }: LostProps) {
  const t = useTranslate();
  const time = useTime(500);
  const seconds = retryAt === undefined ? 0 : Math.ceil((retryAt - time) / 1000);
  return (
    <div className={styles.floating} role="status">
      <SpinnerRing />
      <div>
        <h2>{seconds > 0 ? t('desktop.lost-in', { seconds }) : t('desktop.lost')}</h2>
        <p>{t(session ? 'desktop.lost-text' : 'desktop.lost-text-opening', { attempt, name })}</p>
        <div className={styles.floatingActions}>
          <Button tone="primary" onClick={onNow}>
            {t('desktop.try-now')}
          </Button>
        </div>
      </div>
    </div>
  );
}

interface HeldProps {
  held: NonNullable<DesktopView['held']>;
  isOwn: boolean;
  onLeave: () => void;
}

function Held({ held: { flow, needs, could }, isOwn, onLeave }: HeldProps) {
  const t = useTranslate();
  const isWaiting = flow === 'waiting';
  return (
    <Card
      tone="warn"
      icon={isWaiting ? Hourglass : Snowflake}
      title={t(isWaiting ? 'desktop.held-waiting' : 'desktop.held-frozen')}
      actions={isOwn && <Button onClick={onLeave}>{t('desktop.leave')}</Button>}
    >
      {needs.length === 0 ? (
        <p>{t('desktop.held-lost')}</p>
      ) : (
        <>
          <p>{needs.map((need) => needWords(t, need)).join(` ${t('desktop.held-or')} `)}</p>
          <p className={page.faint}>
            {could.length > 0 ? t('desktop.held-could', { names: could.join(', ') }) : t('desktop.held-nobody')}
          </p>
        </>
      )}
    </Card>
  );
}

function needWords(t: Translate, { missing, modes, role }: SessionNeed): string {
  const as = modes.map((mode) => t(`desktop.mode-${mode}`)).join(` ${t('desktop.held-or')} `);
  return t('desktop.held-text', { count: missing, as, role });
}

interface RefusedCardProps {
  name: string;
  refused: Refused;
  onAgain: () => void;
  toList: ReactNode;
}

function RefusedCard({ name, refused, onAgain, toList }: RefusedCardProps) {
  const { message, next, requestId } = refused;
  const t = useTranslate();
  return (
    <Card
      tone="bad"
      title={t('desktop.refused', { name })}
      actions={
        <>
          {toList}
          <TestIt page="desktops" name={name}>
            {t('desktop.test')}
          </TestIt>
          <Button tone="primary" onClick={onAgain}>
            {t('desktop.again')}
          </Button>
        </>
      }
    >
      <p>{message === NO_FACTOR ? t('desktop.no-factor') : asSentence(message)}</p>
      {next && (
        <p>
          <b>{t('desktop.refused-next')}</b> {asSentence(next)}
        </p>
      )}
      {requestId && (
        <p className={page.faint}>
          {t('desktop.request-id')} <CopyValue value={requestId} name={t('desktop.request-id')} />
        </p>
      )}
    </Card>
  );
}

interface EndedCardProps {
  ended: Ended;
  clusterId: string;
  sid: string | undefined;
  onAgain: () => void;
  toList: ReactNode;
}

function EndedCard({ ended: { cause, message, recorded }, clusterId, sid, onAgain, toList }: EndedCardProps) {
  const t = useTranslate();
  return (
    <Card
      tone={cause === 'closed' || cause === 'exited' ? 'info' : 'warn'}
      title={t(`desktop.ended-${cause}`)}
      actions={
        <>
          {toList}
          {recorded && sid !== undefined && (
            <a className={buttonClass({})} href={pagePath('player', { clusterId, sid })}>
              {t('desktop.open-recording')}
            </a>
          )}
          <Button tone="primary" onClick={onAgain}>
            {t('desktop.again')}
          </Button>
        </>
      }
    >
      {/* It begins with the name of a user, who is not written otherwise here. */}
      <p>{cause === 'ended_by' ? withStop(message) : asSentence(message)}</p>
    </Card>
  );
}

function Card(props: Omit<Parameters<typeof StatusCard>[0], 'level'>) {
  return (
    <div className={styles.covering} role="status">
      <StatusCard {...props} level={2} className={styles.card} />
    </div>
  );
}
