/** One open session: what is on its screen, whose it is, who is in it, for how long, and the ways into it. */
import type { ActiveSession } from '@gatehouse/contract/sessions/sessions';
import { Avatar } from '@gatehouse/design/avatar';
import { Badge } from '@gatehouse/design/badge';
import { buttonClass } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { Tooltip } from '@gatehouse/design/tooltip';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Circle from 'lucide-react/icons/circle';
import CircleSlash from 'lucide-react/icons/circle-slash';
import Hourglass from 'lucide-react/icons/hourglass';
import Snowflake from 'lucide-react/icons/snowflake';
import { useEffect, useRef } from 'react';
import { formatDuration, formatTimeOfDay } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PathLink } from '../../platform/routing/routing.tsx';
import type { LiveLook } from './follow-sessions.ts';
import { firstWay, joinPath, ownerAddress, peopleOf, resourceAddress, sessionIcon, whatOf } from './session-facts.ts';
import { SessionMenu } from './session-menu.tsx';
import { SessionPicture } from './session-picture.tsx';
import styles from './sessions.module.css';

interface SessionCardProps {
  clusterId: string;
  session: ActiveSession;
  isOwn: boolean;
  look: LiveLook | undefined;
  now: number;
  onSee: (sid: string, isSeen: boolean) => void;
  onEnd: (session: ActiveSession) => void;
}

export function SessionCard({ clusterId, session, isOwn, look, now, onSee, onEnd }: SessionCardProps) {
  const t = useTranslate();
  const place = useRef<HTMLLIElement>(null);
  const { id, owner, kind, created } = session;
  useSight(place, id, onSee);
  const what = whatOf(session);
  const way = firstWay(session, isOwn);
  const since = Date.parse(created);
  const address = ownerAddress(session);
  const target = resourceAddress(session);
  return (
    <li ref={place} className={styles.card} aria-label={t('sessions.card', { owner, what })}>
      <div className={styles.picture}>
        <SessionPicture session={session} look={look} />
        {session.state !== 'live' && (
          <span className={styles.state}>
            <Badge tone="warn" icon={session.state === 'waiting' ? Hourglass : Snowflake}>
              {t(`sessions.state-${session.state}`)}
            </Badge>
          </span>
        )}
      </div>
      <div className={styles.body}>
        <div className={styles.head}>
          <Icon of={sessionIcon(session)} size={16} className={styles.kind} label={t(`sessions.kind-${kind}`)} />
          <code className={styles.what}>{what}</code>
          {target && <code className={styles.target}>{target}</code>}
          {isOwn && <Badge tone="brand">{t('sessions.own')}</Badge>}
          <Tooltip content={t(session.recorded ? 'sessions.recorded' : 'sessions.unrecorded')}>
            <span className={styles.rec} data-on={session.recorded || undefined}>
              <Icon of={session.recorded ? Circle : CircleSlash} size={12} />
              <VisuallyHidden>{t(session.recorded ? 'sessions.recorded' : 'sessions.unrecorded')}</VisuallyHidden>
            </span>
          </Tooltip>
        </div>
        <p className={styles.facts}>
          <span className={styles.owner}>{owner}</span>
          {address && <span>{t('sessions.from', { address })}</span>}
        </p>
        <p className={styles.facts}>
          <time className={styles.duration}>{formatDuration(now - since)}</time>
          <span>{t('sessions.since', { time: formatTimeOfDay(since) })}</span>
        </p>
        <div className={styles.foot}>
          <People session={session} />
          {way && (
            <PathLink
              path={joinPath(session, clusterId, way, isOwn)}
              className={buttonClass({ size: 'small', tone: way === 'moderator' ? 'primary' : 'secondary' })}
            >
              {isOwn ? t('sessions.open-own') : t(`sessions.join-${way}`)}
            </PathLink>
          )}
          <SessionMenu clusterId={clusterId} session={session} isOwn={isOwn} onEnd={() => onEnd(session)} />
        </div>
      </div>
    </li>
  );
}

function People({ session }: { session: ActiveSession }) {
  const t = useTranslate();
  const people = peopleOf(session);
  if (people.length === 0) return <span className={styles.nobody}>{t('sessions.nobody')}</span>;
  return (
    <ul className={styles.people} aria-label={t('sessions.people')}>
      {people.map(({ user, mode }) => {
        const words = t('sessions.person', { name: user, mode: t(`sessions.mode-${mode}`) });
        return (
          <li key={user}>
            <Tooltip content={words}>
              <span className={styles.person} data-mode={mode}>
                <Avatar name={user} />
                <VisuallyHidden>{words}</VisuallyHidden>
              </span>
            </Tooltip>
          </li>
        );
      })}
    </ul>
  );
}

function useSight(
  place: React.RefObject<HTMLElement | null>,
  sid: string,
  onSee: (sid: string, isSeen: boolean) => void,
): void {
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver((entries) => onSee(sid, entries.at(-1)?.isIntersecting ?? false));
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      onSee(sid, false);
    };
  }, [place, sid, onSee]);
}
