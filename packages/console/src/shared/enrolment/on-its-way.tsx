/** A machine on its way to the gateway, while it is waited for. */
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { Mark } from '@gatehouse/design/mark';
import styles from './joining.module.css';

interface OnItsWayProps {
  icon: IconComponent;
  title: string;
  text: string;
}

export function OnItsWay({ icon, title, text }: OnItsWayProps) {
  return (
    <div className={styles.waiting}>
      <span className={styles.path} aria-hidden="true">
        <span className={styles.end}>
          <Icon of={icon} size={20} />
        </span>
        <span className={styles.dots} />
        <span className={styles.end} data-goal="">
          <Mark size={20} />
        </span>
      </span>
      <div>
        <b>{title}</b>
        <p className={styles.lead}>{text}</p>
      </div>
    </div>
  );
}
