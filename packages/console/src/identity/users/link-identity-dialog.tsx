/** Lets an administrator say who a user is to a provider: by what the provider calls them for ever, never by name or e-mail. */
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { type SubmitEvent, useId, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { useRefreshAccess } from '../../shared/access-questions/access-queries.ts';
import { useProof } from '../../shared/credentials/use-proof.tsx';
import styles from './users.module.css';

export function LinkIdentityDialog({ user, onClose }: { user: string; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const formId = useId();
  const { providers } = usePageConfig().auth;
  const [connector, setConnector] = useState(providers[0]?.name ?? '');
  const [subject, setSubject] = useState('');
  const [isChecked, setChecked] = useState(false);
  const attempt = useAttempt();
  const title = t('users.link-title', { user });
  const { withProof, question } = useProof({ title, confirmWord: t('users.link') });

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    const body = { connector, subject: subject.trim() };
    if (body.connector === '' || body.subject === '') return;
    const link = () => api(identityRoutes.link, { params: { username: user }, body });
    if (!(await attempt.run(() => withProof(link)))) return;
    onClose();
    toast.show({ tone: 'ok', title: t('users.linked', { user, connector }) });
    await refresh();
  };
  return (
    <>
      <Dialog
        open
        onOpenChange={onClose}
        dismissable={!attempt.isBusy}
        title={title}
        footer={
          <>
            <Button onClick={onClose}>{t('access.cancel')}</Button>
            <Button type="submit" form={formId} tone="primary" loading={attempt.isBusy}>
              {t('users.link')}
            </Button>
          </>
        }
      >
        <form id={formId} className={styles.stack} onSubmit={(event) => void submit(event)} noValidate>
          <p>{t('users.link-text', { user })}</p>
          {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
          {providers.length > 0 ? (
            <Select
              label={t('users.provider')}
              value={connector}
              onValueChange={setConnector}
              options={providers.map(({ name, displayName }) => ({ value: name, label: displayName || name }))}
            />
          ) : (
            <TextField label={t('users.provider')} autoComplete="off" value={connector} onValueChange={setConnector} />
          )}
          <TextField
            label={t('users.subject')}
            hint={t('users.subject-hint')}
            mono
            autoFocus
            autoComplete="off"
            spellCheck={false}
            value={subject}
            onValueChange={setSubject}
            error={isChecked && subject.trim() === '' ? t('users.subject-missing') : undefined}
          />
        </form>
      </Dialog>
      {question}
    </>
  );
}
