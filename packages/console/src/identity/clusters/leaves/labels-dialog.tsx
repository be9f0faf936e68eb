/** The labels of a leaf: roles say by them who sees it. */
import { type RemoteCluster, remoteClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { Notice } from '@gatehouse/design/notice';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ProvenFormDialog } from '../../../shared/credentials/proven-form-dialog.tsx';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { labelsOf, wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { useRefreshClusters } from '../cluster-queries.ts';

export function LabelsDialog({ leaf, onClose }: { leaf: RemoteCluster; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshClusters();
  const [pairs, setPairs] = useState(() => Object.entries(leaf.labels).map(([name, value]) => `${name}=${value}`));
  const wrong = wrongPair(pairs);
  const save = () => {
    if (wrong !== undefined) return undefined;
    const given = { params: { name: leaf.name }, body: { labels: labelsOf(pairs) } };
    return () => api(remoteClusterRoutes.update, given);
  };
  return (
    <ProvenFormDialog
      title={t('clusters.labels-title', { cluster: leaf.name })}
      saveWord={t('clusters.save')}
      cancelWord={t('clusters.cancel')}
      save={save}
      saved={t('clusters.labels-saved', { cluster: leaf.name })}
      refresh={refresh}
      onClose={onClose}
    >
      <LabelField hint={t('clusters.labels-hint')} pairs={pairs} wrong={wrong} onPairs={setPairs} />
      {pairs.length === 0 && <Notice announce="none">{t('clusters.labels-none')}</Notice>}
    </ProvenFormDialog>
  );
}
