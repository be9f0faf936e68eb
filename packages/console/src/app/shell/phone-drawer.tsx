/** The navigation on a phone: the browser's own dialog, so that focus, Escape and the ground behind need no script of ours. */
import { useEffect, useRef } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { NavigationList } from './navigation-list.tsx';
import styles from './phone-drawer.module.css';
import { NavigationBrand, NavigationVersion } from './side-navigation.tsx';

interface PhoneDrawerProps {
  open: boolean;
  onClose: () => void;
}

export function PhoneDrawer({ open, onClose }: PhoneDrawerProps) {
  const t = useTranslate();
  const drawer = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) drawer.current?.showModal();
    else drawer.current?.close();
  }, [open]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={drawer}
      className={styles.drawer}
      aria-label={t('shell.main-navigation')}
      onClose={onClose}
      onClick={(event) => event.target === drawer.current && onClose()}
    >
      {open && (
        <nav className={styles.panel} aria-label={t('shell.main-navigation')}>
          <NavigationBrand />
          <NavigationList onFollow={onClose} />
          <div className={styles.foot}>
            <NavigationVersion />
          </div>
        </nav>
      )}
    </dialog>
  );
}
