/** Makes a link with which a user sets their credentials anew, and says what that does to the old ones. */
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type Link, MadeLinkDialog } from './made-link.tsx';
import type { UserRow } from './user-facts.ts';
import styles from './users.module.css';

export function LinkDialog({ row, onClose }: { row: UserRow; onClose: () => void }) {
  const t = useTranslate();
  const api = useApi();
  const attempt = useAttempt();
  const [made, setMade] = useState<Link>();
  const kind = row.invited ? 'invite' : 'reset';

  const make = () =>
    attempt.run(async () => {
      const type = row.invited ? 'invite' : 'password';
      const { link, expiry } = await api(passwordRoutes.createToken, { body: { name: row.name, type } });
      setMade({ user: row.name, link, expires: expiry, kind });
    });
  const title = t(`users.${kind}-title`, { user: row.name });
  if (made) return <MadeLinkDialog title={title} onClose={onClose} {...made} />;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissable={!attempt.isBusy}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('access.cancel')}</Button>
          <Button tone="primary" data-autofocus="" loading={attempt.isBusy} onClick={() => void make()}>
            {t('users.make-link')}
          </Button>
        </>
      }
    >
      <div className={styles.stack}>
        <p>{t(`users.${kind}-text`, { user: row.name })}</p>
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      </div>
    </Dialog>
  );
}
