/** The labels of a leaf: roles say by them who sees it. */
import { type RemoteCluster, remoteClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import { type SubmitEvent, useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import styles from '../../../shared/enrolment/joining.module.css';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { useRefreshClusters } from '../cluster-queries.ts';

export function LabelsDialog({ leaf, onClose }: { leaf: RemoteCluster; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshClusters();
  const formId = useId();
  const attempt = useAttempt();
  const title = t('clusters.labels-title', { cluster: leaf.name });
  const { withProof, question } = useProof({ title, confirmWord: t('clusters.save') });
  const [pairs, setPairs] = useState(() => Object.entries(leaf.labels).map(([name, value]) => `${name}=${value}`));
  const wrong = wrongPair(pairs);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    if (wrong !== undefined) return;
    const given = { params: { name: leaf.name }, body: { labels: labelsOf(pairs) } };
    if (!(await attempt.run(() => withProof(() => api(remoteClusterRoutes.update, given))))) return;
    onClose();
    toast.show({ tone: 'ok', title: t('clusters.labels-saved', { cluster: leaf.name }) });
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
            <Button type="submit" form={formId} tone="primary" loading={attempt.isBusy}>
              {t('clusters.save')}
            </Button>
          </>
        }
      >
        <form id={formId} className={styles.stack} onSubmit={(event) => void save(event)} noValidate>
          <LabelField hint={t('clusters.labels-hint')} pairs={pairs} wrong={wrong} onPairs={setPairs} />
          {pairs.length === 0 && <Notice announce="none">{t('clusters.labels-none')}</Notice>}
          {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        </form>
      </Dialog>
      {question}
    </>
  );
}
