/** The facts of the session, and whether its recording is as it was written. */

import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { DetailsList } from '@gatehouse/design/details-list';
import { Notice } from '@gatehouse/design/notice';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { failureWords } from '../../../../platform/failures/failure-words.ts';
import { asSentence, formatBytes, formatDuration } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { clockText, kindWords } from '../../recording-facts.ts';
import styles from './side-panel.module.css';
import type { Verification } from './use-verification.ts';

interface DetailsProps {
  details: RecordingDetails;
  verification: Verification;
}

export function Details({ details, verification }: DetailsProps) {
  const t = useTranslate();
  const isLive = details.state === 'live';
  return (
    <div className={styles.details}>
      <DetailsList
        details={[
          { name: t('player.resource'), value: <bdi>{details.resource.name}</bdi> },
          ...(details.inside === undefined
            ? []
            : [{ name: t('player.inside'), value: <bdi>{details.inside}</bdi>, mono: true }]),
          { name: t('player.login'), value: <bdi>{details.login}</bdi>, mono: true },
          { name: t('player.kind'), value: kindWords(t, details.kind) },
          { name: t('player.began'), value: formatDateTime(details.started) },
          {
            name: t('player.ended'),
            value: details.ended ? formatDateTime(details.ended) : t('player.still-running'),
          },
          { name: t('player.duration'), value: formatDuration(details.durationMs) },
          { name: t('player.size'), value: formatBytes(details.bytes) },
          { name: t('player.state'), value: t(`recordings.state-${details.state}`) },
        ]}
      />
      <CopyField label={t('player.session')} value={details.sid} />
      <section className={styles.verify} aria-label={t('player.verify-title')}>
        <h3>{t('player.verify-title')}</h3>
        <Verdict verification={verification} isLive={isLive} />
        <Button
          icon={ShieldCheck}
          loading={verification.isChecking}
          loadingWord={t('player.verifying')}
          onClick={verification.check}
        >
          {t('player.verify')}
        </Button>
      </section>
    </div>
  );
}

function Verdict({ verification: { verdict, error }, isLive }: { verification: Verification; isLive: boolean }) {
  const t = useTranslate();
  if (error) return <Notice tone="bad">{t('player.verify-failed', { reason: failureWords(t, error) })}</Notice>;
  if (!verdict) return <p className={styles.faint}>{t('player.verify-text')}</p>;
  const { ok, checked, signedMs, problem } = verdict;
  if (ok) {
    const values = { checked, time: clockText(signedMs) };
    return (
      <Notice tone="ok" title={t('player.intact')}>
        {t(isLive ? 'player.intact-live' : 'player.intact-text', values)}
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={t('player.changed')}>
      {t('player.changed-text', { time: clockText(problem?.ms ?? 0), reason: asSentence(problem?.reason ?? '') })}
    </Notice>
  );
}
