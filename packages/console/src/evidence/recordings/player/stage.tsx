/** The recorded screen and what is said over it: waiting, skipped time, lost output, failures, the end. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { useCopy } from '@gatehouse/design/use-copy';
import { useDelay } from '@gatehouse/design/use-delay';
import Copy from 'lucide-react/icons/copy';
import FastForward from 'lucide-react/icons/fast-forward';
import RotateCw from 'lucide-react/icons/rotate-cw';
import Scissors from 'lucide-react/icons/scissors';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { type RefObject, useEffect } from 'react';
import { useStore } from '../../../platform/browser/store.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { formatBytes, formatDuration } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { PlaybackView } from '../engine/playback.ts';
import type { Scale } from '../screen/replay-screen.ts';
import styles from './stage.module.css';
import type { Player } from './use-player.ts';

interface StageProps {
  place: RefObject<HTMLDivElement | null>;
  player: Player | undefined;
  details: RecordingDetails | undefined;
  selected: string;
  size: { cols: number; rows: number };
  scale: Scale;
}

export function Stage({ place, player, details, selected, size, scale }: StageProps) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  return (
    <section className={styles.stage} aria-label={t('player.screen')}>
      <div className={styles.screen}>
        <header className={styles.head}>
          {size.cols > 0 && <span>{t('player.typing', size)}</span>}
          {details?.state === 'corrupted' && <span className={styles.warn}>{t('player.corrupted-note')}</span>}
          {selected !== '' && (
            <Button size="small" icon={Copy} className={styles.copy} onClick={() => void copy(selected)}>
              {t(state === 'copied' ? 'common.copied' : 'player.copy-text')}
            </Button>
          )}
        </header>
        {/* biome-ignore lint/a11y/useSemanticElements: it is no part of a form */}
        <div
          ref={place}
          role="group"
          aria-label={t('player.screen')}
          className={styles.place}
          data-scale={scale}
          data-hidden={details ? undefined : ''}
          tabIndex={scale === 'readable' ? 0 : undefined}
        />
        {player ? <Over player={player} details={details} place={place} /> : <Loading />}
      </div>
    </section>
  );
}

function Over({ player, details, place }: Pick<StageProps, 'details' | 'place'> & { player: Player }) {
  const view = useStore(player.playback.view);
  const t = useTranslate();
  const isBusy = !view.isShown || view.isWaiting;
  useEffect(() => place.current?.setAttribute('aria-busy', String(isBusy)), [place, isBusy]);
  // Whether there is such a recording at all is told by its facts, which are on their way.
  if (!details) return <Loading />;
  if (view.failure) return <Failed player={player} failure={view.failure} />;
  if (!view.isShown) return <Loading />;
  return (
    <>
      <Passing view={view} />
      {view.isApproximate && (
        <p className={styles.approximate} role="status">
          {t('player.approximate')}
        </p>
      )}
      {view.isWaiting && <Busy />}
      {view.hasEnded && details.state === 'truncated' && <BrokenOff details={details} />}
    </>
  );
}

function Loading() {
  const t = useTranslate();
  const isLong = useDelay('short');
  return (
    <div className={styles.cover} role="status">
      {isLong && (
        <>
          <SpinnerRing />
          {t('player.loading')}
        </>
      )}
    </div>
  );
}

function Busy() {
  const isLong = useDelay('short');
  return (
    isLong && (
      <div className={styles.busy}>
        <SpinnerRing />
      </div>
    )
  );
}

function Failed({ player, failure }: { player: Player; failure: Error }) {
  const t = useTranslate();
  return (
    <div className={styles.message} role="alert">
      <Icon of={TriangleAlert} size={20} className={styles.bad} />
      <b>{t('player.failed')}</b>
      <p>{failureWords(t, failure)}</p>
      <Button icon={RotateCw} onClick={player.playback.retry}>
        {t('common.try-again')}
      </Button>
    </div>
  );
}

function BrokenOff({ details }: { details: RecordingDetails }) {
  const t = useTranslate();
  return (
    <div className={styles.message} role="status">
      <Icon of={Scissors} size={20} className={styles.warn} />
      <b>{t('player.truncated-title')}</b>
      <p>{details.reason === '' ? t('player.truncated-text') : details.reason}</p>
    </div>
  );
}

/** Said for a moment, out of the way. */
function Passing({ view: { skippedMs, gapBytes } }: { view: PlaybackView }) {
  const t = useTranslate();
  return (
    <div className={styles.passing} role="status">
      {skippedMs !== undefined && (
        <span>
          <Icon of={FastForward} size={14} />
          {t('player.skipped', { duration: formatDuration(skippedMs) })}
        </span>
      )}
      {gapBytes !== undefined && (
        <span className={styles.warn}>
          <Icon of={TriangleAlert} size={14} />
          {t('player.gap', { bytes: formatBytes(gapBytes) })}
        </span>
      )}
    </div>
  );
}
