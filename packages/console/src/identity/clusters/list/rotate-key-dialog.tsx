/** Makes the next key by which other clusters know this one. */
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { useToast } from '@gatehouse/design/toast';
import { type SubmitEvent, useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import styles from '../../../shared/enrolment/joining.module.css';
import { useRefreshClusters } from '../cluster-queries.ts';

/** In seconds. */
const OVERLAPS = ['86400', '604800', '2592000', '0'] as const;

export function RotateKeyDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshClusters();
  const formId = useId();
  const attempt = useAttempt();
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('604800');
  const title = t('clusters.rotate-title');
  const { withProof, question } = useProof({ title, confirmWord: t('clusters.rotate') });
  const rotate = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { overlapSeconds: Number(overlap) };
    if (!(await attempt.run(() => withProof(() => api(trustedClusterRoutes.rotateKey, { body }))))) return;
    onClose();
    toast.show({ tone: 'ok', title: t('clusters.rotated') });
    await refresh();
  };
  return (
    <>
      <Dialog
        open
        onOpenChange={onClose}
        dismissable={!attempt.isBusy}
        title={title}
        footer={
          <>
            <Button onClick={onClose}>{t('clusters.cancel')}</Button>
            <Button type="submit" form={formId} tone={overlap === '0' ? 'danger' : 'primary'} loading={attempt.isBusy}>
              {t('clusters.rotate')}
            </Button>
          </>
        }
      >
        <form id={formId} className={styles.stack} onSubmit={(event) => void rotate(event)} noValidate>
          <p>{t('clusters.rotate-text')}</p>
          <Select
            label={t('clusters.overlap')}
            value={overlap}
            onValueChange={setOverlap}
            options={OVERLAPS.map((value) => ({ value, label: t(`clusters.overlap-${value}`) }))}
          />
          {overlap === '0' && (
            <Notice tone="warn" announce="none">
              {t('clusters.rotate-now')}
            </Notice>
          )}
          {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        </form>
      </Dialog>
      {question}
    </>
  );
}
