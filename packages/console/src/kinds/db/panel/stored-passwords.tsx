/** Passwords that are stored for signing in: set, replaced and forgotten, and shown to nobody. */
import { type DatabaseDetails, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQueryClient } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Trash2 from 'lucide-react/icons/trash-2';
import { type SubmitEvent, useRef, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import styles from './db-panel.module.css';

interface StoredPasswordsProps {
  clusterId: string;
  details: DatabaseDetails;
}

export function StoredPasswords({ clusterId, details: { item, stored } }: StoredPasswordsProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const field = useRef<HTMLInputElement>(null);
  const [dbUser, setDbUser] = useState('');
  const [password, setPassword] = useState('');
  const [isSent, setSent] = useState(false);
  const [forgetting, setForgetting] = useState<string>();
  const { name } = item;
  const user = dbUser.trim();
  const isOther = stored.includes(user);
  const refresh = () => queries.invalidateQueries({ queryKey: [RESOURCES] });

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (user === '' || password === '') return;
    const isSaved = await attempt.run(() =>
      api(databaseRoutes.setSecret, { params: { clusterId, name, dbUser: user }, body: { password } }),
    );
    if (!isSaved) return;
    setSent(false);
    setDbUser('');
    setPassword('');
    toast.show({ tone: 'ok', title: t('db-panel.password-stored', { user }) });
    await refresh();
  };
  const forget = async (gone: string) => {
    await api(databaseRoutes.removeSecret, { params: { clusterId, name, dbUser: gone } });
    await refresh();
  };
  return (
    <>
      <p className={styles.lead}>{t('db-panel.passwords-lead')}</p>
      {stored.length > 0 && (
        <ul className={styles.stored} aria-label={t('db-panel.stored')}>
          {stored.map((each) => (
            <li key={each}>
              <code>{each}</code>
              <span className={styles.acts}>
                <Button
                  size="small"
                  aria-label={t('db-panel.replace-of', { user: each })}
                  onClick={() => {
                    setDbUser(each);
                    field.current?.focus();
                  }}
                >
                  {t('db-panel.replace')}
                </Button>
                <IconButton
                  icon={Trash2}
                  size="small"
                  label={t('db-panel.forget', { user: each })}
                  onClick={() => setForgetting(each)}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      <form className={styles.form} onSubmit={(event) => void save(event)} noValidate>
        <TextField
          label={t('db-panel.password-user')}
          mono
          maxLength={128}
          value={dbUser}
          error={isSent && user === '' ? t('db-panel.password-user-missing') : undefined}
          onValueChange={setDbUser}
        />
        <TextField
          ref={field}
          type="password"
          label={t('db-panel.password')}
          hint={t(isOther ? 'db-panel.password-replaces' : 'db-panel.password-hint')}
          autoComplete="new-password"
          maxLength={1024}
          value={password}
          error={isSent && password === '' ? t('db-panel.password-missing') : undefined}
          onValueChange={setPassword}
        />
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        <div>
          <Button type="submit" icon={KeyRound} loading={attempt.isBusy}>
            {t(isOther ? 'db-panel.password-replace' : 'db-panel.password-store')}
          </Button>
        </div>
      </form>
      {forgetting !== undefined && (
        <AskDialog
          title={t('db-panel.forget-title', { user: forgetting })}
          confirmWord={t('db-panel.forget-confirm')}
          run={() => forget(forgetting)}
          done={t('db-panel.forgotten', { user: forgetting })}
          onClose={() => setForgetting(undefined)}
        >
          {t('db-panel.forget-text', { user: forgetting, database: name })}
        </AskDialog>
      )}
    </>
  );
}
