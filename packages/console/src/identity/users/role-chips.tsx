/** The roles of a user on one line; those that do not fit are counted and told on hover. Clicked, one narrows the list. */
import { LabelChip } from '@gatehouse/design/label-chip';
import styles from './users.module.css';

const SHOWN = 3;

interface RoleChipsProps {
  roles: readonly string[];
  /** The one the list is narrowed to: it is shown whatever else is. */
  wanted?: string | undefined;
  onRole?: (role: string) => void;
}

export function RoleChips({ roles: held, wanted, onRole }: RoleChipsProps) {
  const roles =
    wanted !== undefined && held.includes(wanted) ? [wanted, ...held.filter((role) => role !== wanted)] : held;
  const rest = roles.slice(SHOWN);
  return (
    <span className={styles.chips}>
      {roles.slice(0, SHOWN).map((role) => (
        <LabelChip
          key={role}
          value={role}
          active={role === wanted}
          {...(onRole ? { onClick: () => onRole(role) } : {})}
        />
      ))}
      {rest.length > 0 && (
        <span className={styles.more} title={rest.join(', ')}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}
