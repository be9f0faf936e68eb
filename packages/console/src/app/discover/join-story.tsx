/** What happens where the command is run, as it is heard here: waiting is not silent. */

import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { Mark } from '@gatehouse/design/mark';
import { Progress } from '@gatehouse/design/progress';
import Check from 'lucide-react/icons/check';
import Clock from 'lucide-react/icons/clock';
import Download from 'lucide-react/icons/download';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import X from 'lucide-react/icons/x';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { formatTimeOfDay } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import type { JoinWords } from '../../shared/enrolment/join-words.ts';
import { type JoinLine, joinLines } from './join-lines.ts';
import { JoinedTable } from './joined-table.tsx';
import styles from './run-step.module.css';
import type { Waiting } from './use-waiting.ts';

interface JoinStoryProps {
  waiting: Waiting;
  words: JoinWords;
  /** How many are waited for; nothing for one. */
  count: number | undefined;
  /** All of them are there. */
  onOn: (() => void) | undefined;
}

const LOOKS: Readonly<Record<JoinLine['tone'], { icon: IconComponent; tone: 'info' | 'ok' | 'bad' }>> = {
  fetched: { icon: Download, tone: 'info' },
  refused: { icon: X, tone: 'bad' },
  joined: { icon: Check, tone: 'ok' },
  'not-taken': { icon: TriangleAlert, tone: 'bad' },
};

export function JoinStory({ waiting: { since, heard, machines, joined }, words, count, onOn }: JoinStoryProps) {
  const t = useTranslate();
  const { card } = useFlow();
  const isThere = joined.length > 0;
  const [last] = joined;
  const lines = heard
    .flatMap((progress) => joinLines(t, progress))
    // Several that joined are a table below.
    .filter(({ tone }) => count === undefined || tone !== 'joined')
    .sort((a, b) => a.at - b.at);
  const told = new Set(heard.flatMap((progress) => progress.joined.map(({ name }) => name)));
  return (
    <aside className={styles.story} aria-label={t('discover.story')}>
      <div className={styles.live} role="status">
        <span className={styles.path} aria-hidden="true">
          <span className={styles.end} data-there={isThere ? '' : undefined}>
            <Icon of={card.icon} size={20} />
          </span>
          <span className={styles.dots} data-there={isThere ? '' : undefined} />
          <span className={styles.end} data-goal="">
            <Mark size={20} />
          </span>
        </span>
        <div>
          <h3>{last ? t('discover.joined-one', { name: last.name }) : t('discover.waiting')}</h3>
          <p>
            {count === undefined
              ? t('discover.joined-count', { count: joined.length })
              : t('discover.joined-of', { joined: machines, count })}
          </p>
        </div>
      </div>
      <ol className={styles.lines} aria-label={t('discover.story-lines')}>
        <Line icon={Clock} title={t('discover.story-waiting')} at={since}>
          <p>
            {t(`${words}.waiting-text`)} {t('discover.story-try')}
          </p>
          <CopyField
            label={t('discover.story-try-label')}
            value={`curl -sS ${window.location.origin}/v1/webapi/ping`}
          />
        </Line>
        {lines.map(({ id, tone, title, text, next, at }) => (
          <Line key={id} {...LOOKS[tone]} title={title} at={at}>
            {text && <p>{text}</p>}
            {next && <CopyField name={t('discover.story-next')} value={next} />}
          </Line>
        ))}
        {joined
          .filter(({ name }) => count === undefined && !told.has(name))
          .map(({ id, name }) => (
            <Line key={id} icon={Check} tone="ok" title={t('discover.story-joined', { name })} />
          ))}
      </ol>
      {count !== undefined && (
        <Progress
          label={t('discover.joined-so-far')}
          value={machines / count}
          detail={t('discover.joined-of', { joined: machines, count })}
        />
      )}
      {count !== undefined && <JoinedTable heard={heard} />}
      {onOn && <GoingOn onOn={onOn} />}
    </aside>
  );
}

/** Long enough to read what has joined, and to say no. */
const STAYS_MS = 2_500;

/** What was waited for is there: the next step comes by itself, unless somebody wants to stay. */
function GoingOn({ onOn }: { onOn: () => void }) {
  const t = useTranslate();
  const [stays, setStays] = useState(false);
  const goOn = useEffectEvent(onOn);
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(() => goOn(), STAYS_MS);
    return () => clearTimeout(timer);
  }, [stays]);
  if (stays) return null;
  return (
    <p className={styles.goingOn}>
      {t('discover.going-on')}
      <Button size="small" tone="ghost" onClick={() => setStays(true)}>
        {t('discover.stay')}
      </Button>
    </p>
  );
}

interface LineProps {
  icon: IconComponent;
  tone?: 'info' | 'ok' | 'bad';
  title: ReactNode;
  at?: number | undefined;
  children?: ReactNode;
}

export function Line({ icon, tone, title, at, children }: LineProps) {
  return (
    <li className={styles.line}>
      <span className={styles.point} data-tone={tone}>
        <Icon of={icon} size={14} />
      </span>
      <div className={styles.told}>
        <div className={styles.said}>
          <b>{title}</b>
          {at !== undefined && <time dateTime={new Date(at).toISOString()}>{formatTimeOfDay(at)}</time>}
        </div>
        {children}
      </div>
    </li>
  );
}
