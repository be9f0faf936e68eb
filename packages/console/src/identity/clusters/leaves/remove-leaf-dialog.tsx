/** Removes a leaf, and says before what ends with it. */
import { type RemoteCluster, remoteClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import { useRefreshClusters } from '../cluster-queries.ts';
import styles from './leaves.module.css';

interface RemoveLeafDialogProps {
  leaf: RemoteCluster;
  onClose: () => void;
  onDone?: () => void;
}

export function RemoveLeafDialog({ leaf, onClose, onDone }: RemoveLeafDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshClusters();
  const values = { cluster: leaf.name };
  const title = t('clusters.remove-title', values);
  const { withProof, question } = useProof({ title, confirmWord: t('clusters.remove') });
  return (
    <>
      <AskDialog
        title={title}
        confirmWord={t('clusters.remove')}
        typed={leaf.name}
        run={() => withProof(() => api(remoteClusterRoutes.remove, { params: { name: leaf.name } }))}
        done={t('clusters.removed', values)}
        onClose={onClose}
        onDone={() => {
          onDone?.();
          void refresh();
        }}
      >
        <div className={styles.ends}>
          <p>{t('clusters.remove-text', values)}</p>
          <ul>
            <li>{t('clusters.remove-sessions')}</li>
            <li>{t('clusters.remove-keeps')}</li>
            <li>{t('clusters.remove-back')}</li>
          </ul>
        </div>
      </AskDialog>
      {question}
    </>
  );
}
