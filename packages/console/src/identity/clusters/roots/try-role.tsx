/** Tries a role of the root: which roles here somebody with it would have, and by which entries. */
import type { RoleMapEntry } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { Icon } from '@gatehouse/design/icon';
import { LabelChip } from '@gatehouse/design/label-chip';
import { TextField } from '@gatehouse/design/text-field';
import ArrowRight from 'lucide-react/icons/arrow-right';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { fitting, wholeEntries } from './map-entries.ts';
import styles from './trust.module.css';
import type { MapAnswer } from './use-map-preview.ts';

interface TryRoleProps {
  root: string;
  entries: readonly RoleMapEntry[];
  tried: string;
  onTry: (role: string) => void;
  answer: MapAnswer;
}

export function TryRole({ root, entries, tried, onTry, answer }: TryRoleProps) {
  const t = useTranslate();
  const found = answer.preview?.roles.find(({ remote }) => remote === tried);
  const whole = wholeEntries(entries).map(({ entry }) => entry);
  const by = fitting(whole, tried).map(({ remote }) => remote);
  return (
    <div className={styles.try}>
      <TextField
        label={t('trust.try-role', { root })}
        labelHidden
        className={styles.bare}
        icon={ShieldCheck}
        mono
        placeholder={t('trust.try-like')}
        value={tried}
        onValueChange={(role) => onTry(role.trim())}
      />
      <span className={styles.arrow}>
        <Icon of={ArrowRight} />
      </span>
      <div role="status" className={styles.tried} data-behind={answer.isBehind || undefined}>
        {tried === '' ? (
          <span className={styles.faint}>{t('trust.try-nothing')}</span>
        ) : found && found.local.length > 0 ? (
          <>
            {found.local.map((role) => (
              <LabelChip key={role} value={role} />
            ))}
            {by.length > 0 && <span className={styles.faint}>{t('trust.try-by', { entries: by.join(', ') })}</span>}
          </>
        ) : (
          found && <span>{t('trust.try-none')}</span>
        )}
      </div>
    </div>
  );
}
