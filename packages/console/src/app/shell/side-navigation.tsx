/** The navigation at the left: the mark, the entries, the version. */
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import { Mark } from '@gatehouse/design/mark';
import PanelLeftClose from 'lucide-react/icons/panel-left-close';
import PanelLeftOpen from 'lucide-react/icons/panel-left-open';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PageLink } from '../../platform/routing/routing.tsx';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { NavigationList } from './navigation-list.tsx';
import styles from './side-navigation.module.css';

interface SideNavigationProps {
  isCollapsed: boolean;
  onToggle: () => void;
}

export function SideNavigation({ isCollapsed, onToggle }: SideNavigationProps) {
  const t = useTranslate();
  return (
    <nav className={styles.side} aria-label={t('shell.main-navigation')} data-collapsed={isCollapsed || undefined}>
      <NavigationBrand />
      <NavigationList />
      <div className={styles.foot}>
        <NavigationVersion />
        <IconButton
          className={styles.toggle}
          icon={isCollapsed ? PanelLeftOpen : PanelLeftClose}
          size="small"
          label={isCollapsed ? t('shell.expand-navigation') : t('shell.collapse-navigation')}
          onClick={onToggle}
        />
      </div>
    </nav>
  );
}

export function NavigationBrand() {
  const t = useTranslate();
  return (
    <PageLink page="root" className={styles.brand} aria-label={t('common.product')}>
      <Mark />
      <span className={classNames(ONE_LINE, styles.word)}>{t('common.product')}</span>
    </PageLink>
  );
}

export function NavigationVersion() {
  const t = useTranslate();
  const { version } = usePageConfig().gatehouse;
  return <span className={classNames(ONE_LINE, styles.word)}>{version && t('shell.version', { version })}</span>;
}
