/** The user's own menu: the top-menu entries, the theme, the way out. */
import { Avatar } from '@gatehouse/design/avatar';
import { Icon } from '@gatehouse/design/icon';
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import { Skeleton } from '@gatehouse/design/skeleton';
import { useTheme } from '@gatehouse/design/theme';
import ChevronDown from 'lucide-react/icons/chevron-down';
import LogOut from 'lucide-react/icons/log-out';
import { Suspense } from 'react';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useUserQuery } from '../../platform/sign-in/user.ts';
import { useThemeOptions } from '../theme-options.ts';
import styles from './top-bar.module.css';
import { useEntries } from './use-entries.ts';

const ProviderSignOut = lazyPart(() => import('./provider-sign-out.tsx').then((file) => file.ProviderSignOut));

export function UserMenu() {
  const t = useTranslate();
  const follow = useFollow();
  const user = useUserQuery().data;
  const { signOut } = useShellActions();
  const [theme, setTheme] = useTheme();
  const themes = useThemeOptions();
  const entries = useEntries()?.filter((entry) => entry.category === 'top-menu') ?? [];

  if (!user) return <UserSkeleton />;
  const values = { user: user.userName };
  return (
    <Menu
      trigger={
        <button type="button" className={styles.user} aria-label={t('shell.account-menu', values)}>
          <Avatar name={user.userName} size="medium" self />
          <span className={styles.name}>{user.userName}</span>
          <Icon of={ChevronDown} size={14} />
        </button>
      }
    >
      <MenuHeading>{t(user.authType === 'local' ? 'shell.user-local' : 'shell.user-sso', values)}</MenuHeading>
      {entries.map((entry) => (
        <MenuItem key={entry.page} icon={entry.icon} onSelect={() => follow(entry.path)}>
          {t(entry.label)}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuChoice label={t('common.theme')} value={theme} onValueChange={setTheme} options={themes} />
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={signOut}>
        {t('shell.sign-out')}
      </MenuItem>
      {user.authType !== 'local' && (
        <Suspense>
          <ProviderSignOut />
        </Suspense>
      )}
    </Menu>
  );
}

/** Takes the place the name will take, so that nothing beside it moves. */
function UserSkeleton() {
  return (
    <span className={styles.user}>
      <Skeleton width={28} height={28} radius={14} />
      <span className={styles.name}>
        <Skeleton width={56} />
      </span>
      <Skeleton width={14} height={14} />
    </span>
  );
}
