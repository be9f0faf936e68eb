/** Changes an application that was entered by hand. */
import { type AppDetails, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { useToast } from '@gatehouse/design/toast';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { EditEntered } from '../../../shared/resource-form/edit-entered.tsx';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { appQuery } from '../app-queries.ts';
import { draftOf } from './app-draft.ts';
import styles from './app-form.module.css';
import { AppForm } from './app-form.tsx';
import { TestAppDraft } from './test-app-draft.tsx';
import { useAppForm } from './use-app-form.ts';

interface EditAppDialogProps {
  clusterId: string;
  name: string;
  onClose: () => void;
}

export function EditAppDialog({ clusterId, name, onClose }: EditAppDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(appQuery(api, clusterId, name));
  const title = t('app-form.edit-title', { app: name });
  return (
    <EditEntered
      found={found}
      isEntered={({ app }) => app.gatehouse?.source === 'entered'}
      title={title}
      cancelWord={t('app-form.cancel')}
      elsewhere={t('app-form.edit-agent')}
      onClose={onClose}
    >
      {(details) => <EditForm clusterId={clusterId} details={details} title={title} onClose={onClose} />}
    </EditEntered>
  );
}

interface EditFormProps {
  clusterId: string;
  details: AppDetails;
  title: string;
  onClose: () => void;
}

function EditForm({ clusterId, details, title, onClose }: EditFormProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const { userAcl } = useUser();
  const { name } = details.app;
  const form = useAppForm(
    draftOf(details),
    ({ name: _, ...body }) => api(appRoutes.update, { params: { clusterId, name }, body }),
    () => {
      onClose();
      toast.show({ tone: 'ok', title: t('app-form.saved', { app: name }) });
    },
  );
  return (
    <FormDialog
      size="large"
      title={title}
      cancelWord={t('app-form.cancel')}
      doWord={t('app-form.save')}
      isBusy={form.isBusy}
      onSubmit={form.submit}
      onClose={onClose}
      className={styles.stack}
    >
      <AppForm isNew={false} {...form}>
        {userAcl.appServers.create && <TestAppDraft clusterId={clusterId} draft={form.draft} />}
      </AppForm>
      {form.failure && <Refused message={form.failure} />}
    </FormDialog>
  );
}
