/** Proves that nobody changed the log: checks the hashes of the range against the signed checkpoints, and says what it found. */

import { eventRoutes } from '@gatehouse/contract/audit/search';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { DetailsList } from '@gatehouse/design/details-list';
import { Notice } from '@gatehouse/design/notice';
import { Popover } from '@gatehouse/design/popover';
import { Progress } from '@gatehouse/design/progress';
import { useQuery } from '@tanstack/react-query';
import BadgeCheck from 'lucide-react/icons/badge-check';
import Download from 'lucide-react/icons/download';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useEffect, useRef } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { saveFile } from '../../platform/browser/save-file.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { spanWords } from '../../shared/time-range/span-words.ts';
import type { Span } from '../../shared/time-range/time-span.ts';
import audit from './audit.module.css';
import { AUDIT } from './audit-queries.ts';
import { utcOf } from './event-row.ts';
import type { Verification } from './use-verify.ts';
import styles from './verify-button.module.css';

interface VerifyButtonProps {
  clusterId: string;
  span: Span;
  verification: Verification;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  onStart: () => void;
  onStop: () => void;
}

export function VerifyButton(props: VerifyButtonProps) {
  const { clusterId, span, verification, isOpen, onOpenChange, onStart, onStop } = props;
  const t = useTranslate();
  const { now } = useBrowser();
  const { state } = verification;
  // Whoever opens it, by the button, a link or the palette, wants the answer.
  const wanted = useRef<() => void>(undefined);
  useEffect(() => {
    wanted.current = state === 'idle' || state === 'failed' ? onStart : undefined;
  });
  useEffect(() => {
    if (isOpen) wanted.current?.();
  }, [isOpen]);
  const icon = state === 'ok' ? BadgeCheck : state === 'broken' ? ShieldAlert : ShieldCheck;
  return (
    <Popover
      label={t('audit.verify-title')}
      className={styles.popover}
      open={isOpen}
      onOpenChange={onOpenChange}
      trigger={
        <Button icon={icon} className={styles.trigger} data-state-of-log={state}>
          <span className={audit.word}>{t('audit.verify')}</span>
        </Button>
      }
    >
      <h2 className={styles.title}>{t('audit.verify-title')}</h2>
      <p className={styles.text}>{t('audit.verify-text', { range: spanWords(t, span, now()) })}</p>
      <div role="status" className={styles.answer}>
        <Answer verification={verification} onStop={onStop} onStart={onStart} />
      </div>
      {state !== 'running' && <KeyFacts clusterId={clusterId} />}
    </Popover>
  );
}

function Answer({ verification, onStop, onStart }: Pick<VerifyButtonProps, 'verification' | 'onStop' | 'onStart'>) {
  const t = useTranslate();
  const again = (
    <Button size="small" onClick={onStart}>
      {t('audit.verify-again')}
    </Button>
  );
  if (verification.state === 'running') {
    return (
      <Progress
        label={t('audit.verifying')}
        detail={t('audit.verify-checked', { count: verification.checked })}
        action={
          <Button size="small" onClick={onStop}>
            {t('audit.cancel')}
          </Button>
        }
      />
    );
  }
  if (verification.state === 'failed') {
    return (
      <Notice tone="warn" announce="none" actions={again}>
        {failureWords(t, verification.error)}
      </Notice>
    );
  }
  if (verification.state === 'broken') {
    const { problem } = verification;
    return (
      <Notice tone="bad" announce="none" icon={ShieldAlert} title={t('audit.broken')} actions={again}>
        {problem && (
          <bdi>
            {t('audit.broken-at', { index: problem.index, chain: problem.chain })} {asSentence(problem.reason)}
          </bdi>
        )}
      </Notice>
    );
  }
  if (verification.state === 'ok') {
    const { checked, checkpoint, newer = 0 } = verification;
    return (
      <Notice tone="ok" announce="none" icon={BadgeCheck} title={t('audit.intact')} actions={again}>
        {t('audit.intact-text', { count: checked })} {newer > 0 && t('audit.intact-newer', { count: newer })}{' '}
        {checkpoint ? (
          <span title={utcOf(checkpoint.time)}>
            {t('audit.checkpoint', { number: checkpoint.number, time: formatDateTime(checkpoint.time) })}
          </span>
        ) : (
          t('audit.no-checkpoint')
        )}
      </Notice>
    );
  }
  return again;
}

/** What somebody needs who wants to check without trusting this gateway. */
function KeyFacts({ clusterId }: { clusterId: string }) {
  const t = useTranslate();
  const api = useApi();
  const key = useQuery({
    queryKey: [AUDIT, 'key', clusterId],
    queryFn: ({ signal }) => api(eventRoutes.key, { params: { clusterId } }, signal),
  }).data;
  if (!key) return null;
  const { checkpoint, publicKey } = key;
  const save = () =>
    saveFile(
      new Blob([JSON.stringify(checkpoint, null, 2)], { type: 'application/json' }),
      `audit-${clusterId}-checkpoint.json`,
    );
  return (
    <section className={styles.key} aria-label={t('audit.offline')}>
      <h3 className={styles.heading}>{t('audit.offline')}</h3>
      <p className={styles.text}>{t('audit.offline-text')}</p>
      <CopyField label={t('audit.public-key')} value={publicKey.trim()} />
      {checkpoint && (
        <Button size="small" icon={Download} onClick={save}>
          {t('audit.save-checkpoint')}
        </Button>
      )}
      <DetailsList details={[{ name: t('audit.command'), value: 'gatehouse audit verify', mono: true }]} />
    </section>
  );
}
