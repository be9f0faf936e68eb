/** What an administrator can do to a user beyond editing: a new link, ending sign-ins, a lock, deleting. */
import { lockOutRoutes } from '@gatehouse/contract/identity/lock-outs';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import { useToast } from '@gatehouse/design/toast';
import Ellipsis from 'lucide-react/icons/ellipsis';
import KeyRound from 'lucide-react/icons/key-round';
import Lock from 'lucide-react/icons/lock';
import LogOut from 'lucide-react/icons/log-out';
import Trash2 from 'lucide-react/icons/trash-2';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useRefreshAccess } from '../../shared/access-questions/access-queries.ts';
import { AskDialog } from '../../shared/access-questions/ask-dialog.tsx';
import { LockDialog } from '../../shared/locking/lock-dialog.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { isLocal, type UserRow } from './user-facts.ts';

type Doing = 'link' | 'end' | 'lock' | 'delete';

export interface UserActionsState {
  start: (doing: Doing) => void;
  /** Lets a name that failed too often try again; asks nothing, because it takes nothing away. */
  lift: () => Promise<void>;
  /** What is open now; to be put somewhere on the page. */
  dialog: ReactNode;
}

export function useUserActions(row: UserRow, onGone: () => void): UserActionsState {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const [doing, start] = useState<Doing>();
  const close = () => start(undefined);
  const { name } = row;

  const lift = async () => {
    try {
      await api(lockOutRoutes.lift, { params: { name } });
      toast.show({ tone: 'ok', title: t('users.lock-out-lifted', { user: name }) });
    } catch (error) {
      toast.show({ tone: 'bad', title: t('common.failed-title'), text: failureWords(t, error) });
    }
    await refresh();
  };
  const dialog = (
    <>
      {doing === 'link' && <LinkDialog row={row} onClose={close} />}
      {doing === 'lock' && <LockDialog target={{ kind: 'user', name }} onClose={close} />}
      {doing === 'end' && (
        <AskDialog
          title={t('users.end-title', { user: name })}
          confirmWord={t('users.end-all')}
          run={() => api(signInsRoutes.endAllOfUser, { params: { username: name } })}
          done={t('users.ended', { user: name })}
          onClose={close}
        >
          {t('users.end-text', { user: name })}
        </AskDialog>
      )}
      {doing === 'delete' && (
        <AskDialog
          title={t('users.delete-title', { user: name })}
          confirmWord={t('users.delete')}
          typed={name}
          run={() => api(userRecordRoutes.remove, { params: { username: name } })}
          done={t('users.deleted', { user: name })}
          onClose={close}
          onDone={onGone}
        >
          {t(isLocal(row) ? 'users.delete-text' : 'users.delete-sso-text', { user: name })}
        </AskDialog>
      )}
    </>
  );
  return { start, lift, dialog };
}

export function UserActions({ actions, row }: { actions: UserActionsState; row: UserRow }) {
  const t = useTranslate();
  const { userName, userAcl } = useUser();
  const { edit, remove } = userAcl.users;
  if (!edit && !remove) return null;
  const isSelf = row.name === userName;
  return (
    <Menu trigger={<IconButton icon={Ellipsis} size="small" label={t('users.actions', { user: row.name })} />}>
      {edit && isLocal(row) && (
        <MenuItem icon={KeyRound} onSelect={() => actions.start('link')}>
          {t(row.invited ? 'users.new-invite' : 'users.reset')}
        </MenuItem>
      )}
      {edit && (
        <MenuItem icon={LogOut} onSelect={() => actions.start('end')}>
          {t('users.end-all')}
        </MenuItem>
      )}
      {edit && (
        <MenuItem icon={Lock} onSelect={() => actions.start('lock')}>
          {t('users.lock')}
        </MenuItem>
      )}
      {remove && (
        <>
          <MenuSeparator />
          <MenuItem
            icon={Trash2}
            tone="danger"
            disabled={isSelf}
            hint={isSelf ? t('users.not-yourself') : undefined}
            onSelect={() => actions.start('delete')}
          >
            {t('users.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
