/** The picture of an application. It is drawn here: an icon fetched from somewhere would tell that somewhere who looks at what. */
import type { App } from '@gatehouse/contract/kinds/app/apps';
import { Icon } from '@gatehouse/design/icon';
import styles from './apps.module.css';
import { pictureOf } from './pictures.ts';

interface AppPictureProps {
  app: Pick<App, 'name' | 'gatehouse'>;
  size?: 'small' | 'large';
}

export function AppPicture({ app: { name, gatehouse }, size = 'small' }: AppPictureProps) {
  const picture = pictureOf({ name, icon: gatehouse?.icon ?? '' });
  return (
    <span className={styles.picture} data-size={size} aria-hidden="true">
      {picture ? <Icon of={picture} size={size === 'large' ? 20 : 14} /> : [...name][0]?.toUpperCase()}
    </span>
  );
}
