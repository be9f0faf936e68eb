/** Makes a token for scripts and shows it this once. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useId, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './account.module.css';
import { useRefreshAccount } from './account-queries.ts';

const DAYS = ['1', '7', '30', '90', '365'] as const;
type Days = (typeof DAYS)[number];
const DAY_SECONDS = 86_400;

export function TokenDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshAccount();
  const formId = useId();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<'read' | 'all'>('read');
  const [days, setDays] = useState<Days>('30');
  const [isChecked, setChecked] = useState(false);
  const [token, setToken] = useState<string>();
  const attempt = useAttempt();

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!name.trim()) return;
    await attempt.run(async () => {
      const body = { name: name.trim(), scope, ttlSeconds: Number(days) * DAY_SECONDS };
      setToken((await api(apiTokenRoutes.create, { body })).token);
      await refresh();
    });
  };
  const nameError = isChecked && !name.trim() ? t('account.name-missing') : undefined;
  const { failure } = attempt;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      // Closing by a stray click would lose the token for ever.
      dismissable={token === undefined && !attempt.isBusy}
      title={t(token === undefined ? 'account.new-token' : 'account.token-made')}
      footer={
        token === undefined ? (
          <>
            <Button onClick={onClose}>{t('account.cancel')}</Button>
            <Button type="submit" form={formId} tone="primary" loading={attempt.isBusy}>
              {t('account.make-token')}
            </Button>
          </>
        ) : (
          <Button tone="primary" onClick={onClose}>
            {t('account.token-done')}
          </Button>
        )
      }
    >
      {token === undefined ? (
        <form id={formId} className={styles.stack} onSubmit={(event) => void submit(event)} noValidate>
          {failure && failure.field !== 'name' && <Notice tone="bad">{failure.message}</Notice>}
          <TextField
            label={t('account.name')}
            hint={t('account.token-name-hint')}
            maxLength={64}
            autoComplete="off"
            value={name}
            onValueChange={setName}
            error={nameError ?? (failure?.field === 'name' ? failure.message : undefined)}
          />
          <RadioGroup
            label={t('account.token-scope')}
            value={scope}
            onValueChange={setScope}
            options={[
              { value: 'read', label: t('account.may-read'), hint: t('account.scope-read-hint') },
              { value: 'all', label: t('account.may-all'), hint: t('account.scope-all-hint') },
            ]}
          />
          <Select
            label={t('account.token-life')}
            value={days}
            onValueChange={setDays}
            options={DAYS.map((value) => ({ value, label: t('account.days', { count: Number(value) }) }))}
          />
        </form>
      ) : (
        <div className={styles.stack}>
          <Notice tone="warn" announce="none">
            {t('account.token-once')}
          </Notice>
          <CopyField label={t('account.token')} value={token} />
        </div>
      )}
    </Dialog>
  );
}
