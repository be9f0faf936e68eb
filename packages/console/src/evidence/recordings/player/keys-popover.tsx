/** The keys of the player, where they are used. */
import { IconButton } from '@gatehouse/design/icon-button';
import { KeyCaps } from '@gatehouse/design/key-cap';
import { Popover } from '@gatehouse/design/popover';
import Keyboard from 'lucide-react/icons/keyboard';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './keys-popover.module.css';
import type { ShownKeys } from './player-keys.ts';

interface KeysPopoverProps {
  shown: readonly Pick<ShownKeys, 'keys' | 'word'>[];
  className?: string | undefined;
}

export function KeysPopover({ shown, className }: KeysPopoverProps) {
  const t = useTranslate();
  return (
    <Popover
      label={t('player.keys')}
      side="top"
      trigger={<IconButton icon={Keyboard} label={t('player.keys')} className={className} />}
    >
      <dl className={styles.keys}>
        {shown.map(({ keys, word }) => (
          <div key={word} className={styles.key}>
            <dt>
              <KeyCaps keys={keys} />
            </dt>
            <dd>{t(word)}</dd>
          </div>
        ))}
      </dl>
    </Popover>
  );
}
