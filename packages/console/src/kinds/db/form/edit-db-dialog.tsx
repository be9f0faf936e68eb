/** Changes a database that was entered by hand, and says before it is saved what that makes void. */
import { type DatabaseDetails, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { EditEntered } from '../../../shared/resource-form/edit-entered.tsx';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { databaseQuery } from '../db-queries.ts';
import { draftOf, isElsewhere } from './db-draft.ts';
import styles from './db-form.module.css';
import { DbForm } from './db-form.tsx';
import { TestDbDraft } from './test-db-draft.tsx';
import { useDbForm } from './use-db-form.ts';

interface EditDbDialogProps {
  clusterId: string;
  name: string;
  onClose: () => void;
}

export function EditDbDialog({ clusterId, name, onClose }: EditDbDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(databaseQuery(api, clusterId, name));
  const title = t('db-form.edit-title', { database: name });
  return (
    <EditEntered
      found={found}
      isEntered={({ item }) => item.gatehouse?.source === 'entered'}
      title={title}
      cancelWord={t('db-form.cancel')}
      elsewhere={t('db-form.edit-agent')}
      onClose={onClose}
    >
      {(details) => <EditForm clusterId={clusterId} details={details} title={title} onClose={onClose} />}
    </EditEntered>
  );
}

interface EditFormProps {
  clusterId: string;
  details: DatabaseDetails;
  title: string;
  onClose: () => void;
}

function EditForm({ clusterId, details, title, onClose }: EditFormProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const { userAcl } = useUser();
  const { name } = details.item;
  const form = useDbForm(
    draftOf(details),
    ({ database: { name: _, protocol: _same, ...body } }) =>
      api(databaseRoutes.update, { params: { clusterId, name }, body }),
    () => {
      onClose();
      toast.show({ tone: 'ok', title: t('db-form.saved', { database: name }) });
    },
  );
  const isVoid = isElsewhere(draftOf(details), form.draft);
  return (
    <FormDialog
      size="large"
      title={title}
      cancelWord={t('db-form.cancel')}
      doWord={t('db-form.save')}
      isBusy={form.isBusy}
      onSubmit={form.submit}
      onClose={onClose}
      className={styles.stack}
    >
      <DbForm isNew={false} {...form}>
        {userAcl.db.create && <TestDbDraft clusterId={clusterId} draft={form.draft} />}
      </DbForm>
      <div role="status">
        {isVoid && (
          <Notice tone="warn" announce="none">
            {details.stored.length === 0
              ? t('db-form.ends-sessions')
              : t('db-form.voids', { count: details.stored.length, users: details.stored.join(', ') })}
          </Notice>
        )}
      </div>
      {form.failure && <Refused message={form.failure} />}
    </FormDialog>
  );
}
