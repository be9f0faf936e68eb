/** A value among the facts of a resource, to be copied. */
import { IconButton } from '@gatehouse/design/icon-button';
import { useCopy } from '@gatehouse/design/use-copy';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './resource-panel.module.css';

export function CopyValue({ value, name }: { value: string; name: string }) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  return (
    <span className={styles.copy}>
      <code>{value}</code>
      <IconButton
        icon={state === 'copied' ? Check : Copy}
        size="small"
        label={state === 'copied' ? t('common.copied') : t('resource-list.copy', { name })}
        onClick={() => void copy(value)}
      />
    </span>
  );
}
