/** Adds a database, with each hop tried on the way, and the password that it is signed in to with; where it cannot be reached yet, a new agent near it comes first. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
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
import { DB_SERVICES } from '../db-queries.ts';
import { CheckHops } from '../form/check-hops.tsx';
import { EMPTY_DRAFT } from '../form/db-draft.ts';
import styles from '../form/db-form.module.css';
import { DbForm } from '../form/db-form.tsx';
import { useDbForm } from '../form/use-db-form.ts';
import { JoinDbForm } from './join-db-form.tsx';

interface AddDbDialogProps {
  clusterId: string;
  onClose: () => void;
  onAdded: (name: string) => void;
}

const WAYS = ['entered', 'agent'] as const;
type AddMethod = (typeof WAYS)[number];

export function AddDbDialog({ clusterId, onClose, onAdded }: AddDbDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const formId = useId();
  const { userAcl } = useUser();
  const mayJoin = userAcl.tokens.create && userAcl.db.edit;
  const [way, setWay] = useState<AddMethod>('entered');
  const [token, setToken] = useState<JoinToken>();
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
  const enter = () => {
    // With the labels by which it will be dialled.
    form.onDraft({ labels: Object.entries(token?.labels ?? {}).map(([name, value]) => `${name}=${value}`) });
    setWay('entered');
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('databases.add')}
      footer={
        <>
          <Button onClick={onClose}>{t(way === 'agent' ? 'joining.done' : 'db-form.cancel')}</Button>
          {way === 'entered' && (
            <Button type="submit" form={formId} tone="primary" loading={form.isBusy}>
              {t(added === undefined ? 'databases.add' : 'db-form.store-again')}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.stack}>
        {mayJoin && (
          <RadioGroup
            label={t('add-db.way')}
            value={way}
            onValueChange={setWay}
            options={WAYS.map((value) => ({
              value,
              label: t(`add-db.way-${value}`),
              hint: t(`add-db.way-${value}-hint`),
            }))}
          />
        )}
        {way === 'agent' ? (
          <JoinSteps
            list={DB_SERVICES}
            words="add-db"
            clusterId={clusterId}
            form={<JoinDbForm token={token} onToken={setToken} />}
            token={token}
            onAgain={() => setToken(undefined)}
            command={token?.command ?? ''}
            nameOf={({ name }) => name}
            next={() => (
              <>
                <p>{t('add-db.enter-text')}</p>
                <Button tone="primary" onClick={enter}>
                  {t('add-db.enter')}
                </Button>
              </>
            )}
          />
        ) : (
          <form id={formId} className={styles.stack} onSubmit={(event) => void form.submit(event)} noValidate>
            <DbForm isNew {...form}>
              <CheckHops clusterId={clusterId} draft={form.draft} isPasswordWhole={form.isPasswordWhole} />
            </DbForm>
            {form.failure && (
              <Refused
                message={
                  added === undefined
                    ? form.failure
                    : t('db-form.only-password', { database: added, why: form.failure })
                }
              />
            )}
          </form>
        )}
      </div>
    </Dialog>
  );
}
