/** What is played: where, who, when; whether it is intact; a link to this second; the recording as a file. */

import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Tooltip } from '@gatehouse/design/tooltip';
import { useCopy } from '@gatehouse/design/use-copy';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import CircleCheck from 'lucide-react/icons/circle-check';
import Download from 'lucide-react/icons/download';
import Link2 from 'lucide-react/icons/link-2';
import PanelRight from 'lucide-react/icons/panel-right';
import Scissors from 'lucide-react/icons/scissors';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import { type ReactNode, useEffect, useRef } from 'react';
import { formatDuration } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PageLink } from '../../../platform/routing/routing.tsx';
import type { Playback } from '../engine/playback.ts';
import { playerPath, secondsText } from '../player-path.ts';
import { clockText, nameOf, partOf } from '../recording-facts.ts';
import { isPicture } from '../renderers.ts';
import styles from './player-header.module.css';
import type { Verification } from './side/use-verification.ts';
import { useDownload } from './use-download.ts';

interface PlayerHeaderProps {
  clusterId: string;
  sid: string;
  details: RecordingDetails | undefined;
  /** Absent where there is nothing to play. */
  playback: Playback | undefined;
  verification: Verification;
  onPanel: (() => void) | undefined;
  /** In place of those for what plays. */
  actions?: ReactNode;
}

export function PlayerHeader({ clusterId, sid, details, playback, verification, onPanel, actions }: PlayerHeaderProps) {
  const t = useTranslate();
  return (
    <header className={styles.header}>
      <PageLink page="recordings" params={{ clusterId }} className={styles.back} aria-label={t('player.back')}>
        <Icon of={ChevronLeft} />
      </PageLink>
      <div className={styles.titles}>
        <h1 className={classNames(ONE_LINE, styles.title)}>{details ? nameOf(t, details) : <code>{sid}</code>}</h1>
        <p className={classNames(ONE_LINE, styles.about)}>{details ? aboutWords(t, details) : '\u00a0'}</p>
      </div>
      {details && <Intact details={details} verification={verification} />}
      {details && playback && (
        <>
          <CopyLink clusterId={clusterId} details={details} playback={playback} />
          {!isPicture(details.kind) && <DownloadButton clusterId={clusterId} details={details} />}
        </>
      )}
      {actions}
      {onPanel && (
        <IconButton icon={PanelRight} className={styles.panel} label={t('player.show-panel')} onClick={onPanel} />
      )}
    </header>
  );
}

function aboutWords(
  t: ReturnType<typeof useTranslate>,
  { users, started, durationMs, state, database, protocol, inside }: RecordingDetails,
): string {
  const part = partOf({ database, protocol, inside });
  const values = {
    users: part ? `${users.join(', ')} · ${part}` : users.join(', '),
    time: formatDateTime(started),
    duration: formatDuration(durationMs),
  };
  return t(state === 'live' ? 'player.by-live' : 'player.by', values);
}

function Intact({ details, verification: { verdict } }: { details: RecordingDetails; verification: Verification }) {
  const t = useTranslate();
  const badge = () => {
    if (verdict && !verdict.ok) return { tone: 'bad', icon: ShieldAlert, word: t('player.changed') } as const;
    if (details.state === 'truncated')
      return { tone: 'warn', icon: Scissors, word: t('recordings.state-truncated') } as const;
    if (verdict?.ok) return { tone: 'ok', icon: CircleCheck, word: t('player.intact') } as const;
    return undefined;
  };
  const shown = badge();
  return (
    shown && (
      <span className={styles.intact}>
        <Badge tone={shown.tone} icon={shown.icon}>
          {shown.word}
        </Badge>
      </span>
    )
  );
}

interface CopyLinkProps {
  clusterId: string;
  details: RecordingDetails;
  playback: Playback;
}

function CopyLink({ clusterId, details, playback }: CopyLinkProps) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  const word = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const write = () => {
      const text = t('player.copy-link', { time: clockText(playback.position.get()) });
      if (word.current && word.current.textContent !== text) word.current.textContent = text;
    };
    write();
    return playback.position.subscribe(write);
  }, [playback, t]);
  const take = () => {
    const path = playerPath(clusterId, details, { t: secondsText(playback.position.get()) });
    void copy(new URL(path, window.location.href).href);
  };
  return (
    <Button icon={Link2} onClick={take}>
      <span className={styles.linkWords} data-copied={state === 'copied' || undefined}>
        <span ref={word} className={styles.linkWord} />
        <span role="status">{state === 'copied' && t('player.link-copied')}</span>
      </span>
    </Button>
  );
}

function DownloadButton({ clusterId, details }: { clusterId: string; details: RecordingDetails }) {
  const t = useTranslate();
  const { isLoading, isTooLarge, download } = useDownload(clusterId, details);
  return (
    <Tooltip content={isTooLarge ? undefined : t('player.download-hint')} side="bottom">
      <Button
        icon={Download}
        className={styles.download}
        loading={isLoading}
        loadingWord={t('player.downloading')}
        disabled={isTooLarge}
        disabledReason={t('player.download-large', { sid: details.sid })}
        onClick={() => void download()}
      >
        {t('player.download')}
      </Button>
    </Tooltip>
  );
}
