/** Ends the trust in a root, and says before what ends with it. */
import {
  type TrustedClusterItem,
  trustedClusterRoutes,
} from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { useProof } from '../../../shared/credentials/use-proof.tsx';
import { useRefreshClusters } from '../cluster-queries.ts';
import styles from '../leaves/leaves.module.css';

interface RemoveRootDialogProps {
  item: TrustedClusterItem;
  onClose: () => void;
  onDone: () => void;
}

export function RemoveRootDialog({ item, onClose, onDone }: RemoveRootDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshClusters();
  const values = { root: item.name };
  const title = t('trust.remove-title', values);
  const { withProof, question } = useProof({ title, confirmWord: t('trust.remove') });
  return (
    <>
      <AskDialog
        title={title}
        confirmWord={t('trust.remove')}
        typed={item.name}
        run={() => withProof(() => api(trustedClusterRoutes.remove, { params: { name: item.name } }))}
        done={t('trust.removed', values)}
        onClose={onClose}
        onDone={() => {
          onDone();
          void refresh();
        }}
      >
        <div className={styles.ends}>
          <p>{t('trust.remove-text', { ...values, count: item.visitors ?? 0 })}</p>
          <ul>
            <li>{t('trust.remove-sessions')}</li>
            <li>{t('trust.remove-log')}</li>
            <li>{t('trust.remove-back')}</li>
          </ul>
        </div>
      </AskDialog>
      {question}
    </>
  );
}
