/** Deletes a connector, and says before what ends with it. */
import { CONNECTOR_ROUTES, type ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { AskDialog } from '../../shared/access-questions/ask-dialog.tsx';
import { useProof } from '../../shared/credentials/use-proof.tsx';
import { titleOf } from './connector-queries.ts';
import styles from './connectors.module.css';

interface DeleteConnectorDialogProps {
  item: ConnectorItem;
  onClose: () => void;
  onDone?: () => void;
}

export function DeleteConnectorDialog({ item, onClose, onDone }: DeleteConnectorDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const title = t('connectors.delete-title', { name: titleOf(item) });
  const { withProof, question } = useProof({ title, confirmWord: t('connectors.delete') });
  return (
    <>
      <AskDialog
        title={title}
        confirmWord={t('connectors.delete')}
        typed={item.name}
        run={() => withProof(() => api(CONNECTOR_ROUTES[item.kind].remove, { params: { name: item.name } }))}
        done={t('connectors.deleted', { name: titleOf(item) })}
        onClose={onClose}
        {...(onDone ? { onDone } : {})}
      >
        <div className={styles.ends}>
          <p>{t('connectors.delete-text', { count: item.users ?? 0 })}</p>
          <ul>
            <li>{t('connectors.delete-sign-ins')}</li>
            <li>{t('connectors.delete-users')}</li>
            <li>{t('connectors.delete-secret')}</li>
          </ul>
        </div>
      </AskDialog>
      {question}
    </>
  );
}
