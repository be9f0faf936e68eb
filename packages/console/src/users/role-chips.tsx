/** The roles of a user on one line; those that do not fit are counted and told on hover. */
import { LabelChip } from '@gatehouse/design/label-chip';
import styles from './users.module.css';

const SHOWN = 3;

export function RoleChips({ roles }: { roles: readonly string[] }) {
  const rest = roles.slice(SHOWN);
  return (
    <span className={styles.chips}>
      {roles.slice(0, SHOWN).map((role) => (
        <LabelChip key={role} value={role} />
      ))}
      {rest.length > 0 && (
        <span className={styles.more} title={rest.join(', ')}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}
