/** Makes the next key by which other clusters know this one. */
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ProvenFormDialog } from '../../../shared/credentials/proven-form-dialog.tsx';
import { useRefreshClusters } from '../cluster-queries.ts';

/** In seconds. */
const OVERLAPS = ['86400', '604800', '2592000', '0'] as const;

export function RotateKeyDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshClusters();
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>('604800');
  const save = () => () => api(trustedClusterRoutes.rotateKey, { body: { overlapSeconds: Number(overlap) } });
  return (
    <ProvenFormDialog
      title={t('clusters.rotate-title')}
      saveWord={t('clusters.rotate')}
      cancelWord={t('clusters.cancel')}
      tone={overlap === '0' ? 'danger' : 'primary'}
      save={save}
      saved={t('clusters.rotated')}
      refresh={refresh}
      onClose={onClose}
    >
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
    </ProvenFormDialog>
  );
}
