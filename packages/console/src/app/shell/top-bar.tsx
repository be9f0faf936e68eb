/** The bar at the top: which cluster, search, alerts, and the user. */
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { KeyCaps } from '@gatehouse/design/key-cap';
import MenuIcon from 'lucide-react/icons/menu';
import Search from 'lucide-react/icons/search';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import { AlertsBell } from './alerts-bell.tsx';
import { ClusterPicker } from './cluster-picker.tsx';
import styles from './top-bar.module.css';
import { commandKey } from './use-shell-keys.ts';
import { UserMenu } from './user-menu.tsx';

export function TopBar({ onOpenDrawer }: { onOpenDrawer: () => void }) {
  const t = useTranslate();
  const { openPalette } = useShellActions();
  return (
    <header className={styles.bar}>
      <span className={styles.phone}>
        <IconButton icon={MenuIcon} size="large" label={t('shell.open-navigation')} onClick={onOpenDrawer} />
      </span>
      <ClusterPicker />
      <button type="button" className={styles.search} onClick={openPalette}>
        <Icon of={Search} />
        <span className={styles.word}>{t('shell.search')}</span>
        <KeyCaps keys={[commandKey(), 'K']} />
      </button>
      <div className={styles.end}>
        <span className={styles.phone}>
          <IconButton icon={Search} size="large" label={t('shell.search')} onClick={openPalette} />
        </span>
        <AlertsBell />
        <UserMenu />
      </div>
    </header>
  );
}
