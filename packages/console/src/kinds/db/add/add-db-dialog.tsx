/** Adds a database, with each hop tried on the way, and the password that it is signed in to with. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { useToast } from '@gatehouse/design/toast';
import { useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { CheckHops } from '../form/check-hops.tsx';
import { EMPTY_DRAFT } from '../form/db-draft.ts';
import styles from '../form/db-form.module.css';
import { DbForm } from '../form/db-form.tsx';
import { useDbForm } from '../form/use-db-form.ts';

interface AddDbDialogProps {
  clusterId: string;
  onClose: () => void;
  onAdded: (name: string) => void;
}

export function AddDbDialog({ clusterId, onClose, onAdded }: AddDbDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const formId = useId();
  // The database is there and its password was refused: only that is sent again.
  const [added, setAdded] = useState<string>();
  const form = useDbForm(
    EMPTY_DRAFT,
    async ({ database, secret }) => {
      const { name } = database;
      if (added !== name) await api(databaseRoutes.add, { params: { clusterId }, body: database });
      setAdded(name);
      if (!secret) return;
      const { dbUser, password } = secret;
      await api(databaseRoutes.setSecret, { params: { clusterId, name, dbUser }, body: { password } });
    },
    (name) => {
      onAdded(name);
      toast.show({ tone: 'ok', title: t('db-form.added', { database: name }) });
    },
  );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('databases.add')}
      footer={
        <>
          <Button onClick={onClose}>{t('db-form.cancel')}</Button>
          <Button type="submit" form={formId} tone="primary" loading={form.isBusy}>
            {t(added === undefined ? 'databases.add' : 'db-form.store-again')}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.stack} onSubmit={(event) => void form.submit(event)} noValidate>
        <DbForm isNew {...form}>
          <CheckHops clusterId={clusterId} draft={form.draft} isPasswordWhole={form.isPasswordWhole} />
        </DbForm>
        {form.failure && (
          <Refused
            message={
              added === undefined ? form.failure : t('db-form.only-password', { database: added, why: form.failure })
            }
          />
        )}
      </form>
    </Dialog>
  );
}
