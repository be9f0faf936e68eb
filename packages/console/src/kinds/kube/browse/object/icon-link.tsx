/** A link that is an icon, such as the way back. */
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { PathLink } from '../../../../platform/routing/routing.tsx';
import styles from '../browse.module.css';

export function IconLink({ icon, label, path }: { icon: IconComponent; label: string; path: string }) {
  return (
    <PathLink path={path} className={styles.iconLink} aria-label={label} title={label}>
      <Icon of={icon} size={20} />
    </PathLink>
  );
}
