/** Passwords that are stored for signing in to a desktop: set, replaced and forgotten, and shown to nobody. */
import { type DesktopDetails, desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { useQueryClient } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import Trash2 from 'lucide-react/icons/trash-2';
import { type SubmitEvent, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AskDialog } from '../../../shared/access-questions/ask-dialog.tsx';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import styles from '../desktops.module.css';

interface StoredPasswordsProps {
  clusterId: string;
  details: DesktopDetails;
}

export function StoredPasswords({ clusterId, details: { item, passwords, protocol } }: StoredPasswordsProps) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const [isSent, setSent] = useState(false);
  const [forgetting, setForgetting] = useState<string>();
  const { name } = item;
  const login = typed.trim();
  const refresh = () => queries.invalidateQueries({ queryKey: [RESOURCES] });
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (login === '' || password === '') return;
    const isSaved = await attempt.run(() =>
      api(desktopRoutes.setPassword, { params: { clusterId, name, login }, body: { password } }),
    );
    if (!isSaved) return;
    setSent(false);
    setTyped('');
    setPassword('');
    toast.show({ tone: 'ok', title: t('desktop-panel.password-stored', { login }) });
    await refresh();
  };
  const forget = async (gone: string) => {
    await api(desktopRoutes.removePassword, { params: { clusterId, name, login: gone } });
    await refresh();
  };
  return (
    <div className={styles.stack}>
      <p className={styles.lead}>{t('desktop-panel.passwords-lead')}</p>
      {passwords.length > 0 && (
        <ul className={styles.stored} aria-label={t('desktop-panel.passwords')}>
          {passwords.map(({ login: each }) => (
            <li key={each}>
              <code>{each}</code>
              <IconButton
                icon={Trash2}
                size="small"
                label={t('desktop-panel.forget', { login: each })}
                onClick={() => setForgetting(each)}
              />
            </li>
          ))}
        </ul>
      )}
      <form className={styles.stack} onSubmit={(event) => void save(event)} noValidate>
        <TextField
          label={t('desktop-panel.password-login')}
          hint={t(protocol === 'vnc' ? 'desktop-panel.password-login-vnc' : 'desktop-panel.password-login-hint')}
          mono
          maxLength={256}
          value={typed}
          error={isSent && login === '' ? t('desktop-panel.password-login-missing') : undefined}
          onValueChange={setTyped}
        />
        <TextField
          type="password"
          label={t('desktop-panel.password')}
          hint={t('desktop-panel.password-hint')}
          autoComplete="new-password"
          maxLength={1024}
          value={password}
          error={isSent && password === '' ? t('desktop-panel.password-missing') : undefined}
          onValueChange={setPassword}
        />
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        <div>
          <Button type="submit" icon={KeyRound} loading={attempt.isBusy}>
            {t('desktop-panel.password-store')}
          </Button>
        </div>
      </form>
      {forgetting !== undefined && (
        <AskDialog
          title={t('desktop-panel.forget-title', { login: forgetting })}
          confirmWord={t('desktop-panel.forget-confirm')}
          run={() => forget(forgetting)}
          done={t('desktop-panel.forgotten', { login: forgetting })}
          onClose={() => setForgetting(undefined)}
        >
          {t('desktop-panel.forget-text', { login: forgetting, name })}
        </AskDialog>
      )}
    </div>
  );
}
