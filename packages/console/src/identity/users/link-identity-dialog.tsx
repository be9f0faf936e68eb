/** Lets an administrator say who a user is to a provider: by what the provider calls them for ever, never by name or e-mail. */
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { useRefreshAccess } from '../../shared/access-questions/access-queries.ts';
import { ProvenFormDialog } from '../../shared/credentials/proven-form-dialog.tsx';

export function LinkIdentityDialog({ user, onClose }: { user: string; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshAccess();
  const { providers } = usePageConfig().auth;
  const [connector, setConnector] = useState(providers[0]?.name ?? '');
  const [subject, setSubject] = useState('');
  const [isChecked, setChecked] = useState(false);

  const save = () => {
    setChecked(true);
    const body = { connector, subject: subject.trim() };
    if (body.connector === '' || body.subject === '') return undefined;
    return () => api(identityRoutes.link, { params: { username: user }, body });
  };
  return (
    <ProvenFormDialog
      title={t('users.link-title', { user })}
      saveWord={t('users.link')}
      cancelWord={t('access.cancel')}
      save={save}
      saved={t('users.linked', { user, connector })}
      refresh={refresh}
      onClose={onClose}
    >
      <p>{t('users.link-text', { user })}</p>
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
        value={subject}
        onValueChange={setSubject}
        error={isChecked && subject.trim() === '' ? t('users.subject-missing') : undefined}
      />
    </ProvenFormDialog>
  );
}
