/** Adds an application: by its address, with each hop tried on the way, or by a new agent near it. */
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { useToast } from '@gatehouse/design/toast';
import { useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { JoinSteps } from '../../../shared/enrolment/join-steps.tsx';
import type { JoinToken } from '../../../shared/enrolment/join-token.ts';
import { Refused } from '../../../shared/way-there/refused.tsx';
import { APPS } from '../app-queries.ts';
import { EMPTY_DRAFT } from '../form/app-draft.ts';
import styles from '../form/app-form.module.css';
import { AppForm } from '../form/app-form.tsx';
import { CheckHops } from '../form/check-hops.tsx';
import { useAppForm } from '../form/use-app-form.ts';
import { OpenCell } from '../open/open-cell.tsx';
import { JoinAppForm } from './join-app-form.tsx';

interface AddAppDialogProps {
  clusterId: string;
  onClose: () => void;
  onAdded: (name: string) => void;
}

type AddMethod = 'entered' | 'agent';

export function AddAppDialog({ clusterId, onClose, onAdded }: AddAppDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const formId = useId();
  const { userAcl } = useUser();
  const ways = (['entered', 'agent'] as const).filter((each) =>
    each === 'entered' ? userAcl.appServers.create : userAcl.tokens.create,
  );
  const [chosen, setWay] = useState<AddMethod>();
  const [token, setToken] = useState<JoinToken>();
  const way = chosen ?? ways[0] ?? 'entered';
  const form = useAppForm(
    EMPTY_DRAFT,
    (body) => api(appRoutes.add, { params: { clusterId }, body }),
    ({ name }) => {
      onAdded(name);
      toast.show({ tone: 'ok', title: t('add-app.added', { app: name }) });
    },
  );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('apps.add')}
      footer={
        <>
          <Button onClick={onClose}>{t(way === 'agent' ? 'joining.done' : 'app-form.cancel')}</Button>
          {way === 'entered' && (
            <Button type="submit" form={formId} tone="primary" loading={form.isBusy}>
              {t('add-app.submit')}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.stack}>
        {ways.length > 1 && (
          <RadioGroup
            label={t('add-app.way')}
            value={way}
            onValueChange={setWay}
            options={ways.map((value) => ({
              value,
              label: t(`add-app.way-${value}`),
              hint: t(`add-app.way-${value}-hint`),
            }))}
          />
        )}
        {way === 'agent' ? (
          <JoinSteps
            list={APPS}
            words="add-app"
            clusterId={clusterId}
            form={<JoinAppForm token={token} onToken={setToken} />}
            token={token}
            onAgain={() => setToken(undefined)}
            command={token?.command ?? ''}
            nameOf={({ name }) => name}
            next={(app) => <OpenCell app={app} />}
          />
        ) : (
          <form id={formId} className={styles.stack} onSubmit={(event) => void form.submit(event)} noValidate>
            <AppForm isNew {...form}>
              <CheckHops clusterId={clusterId} draft={form.draft} />
            </AppForm>
            {form.failure && <Refused message={form.failure} />}
          </form>
        )}
      </div>
    </Dialog>
  );
}
