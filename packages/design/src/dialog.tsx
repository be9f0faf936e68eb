/** A dialog: closes on Escape or on its backdrop unless told otherwise, and gives the focus back. */

import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { IconButton } from './icon-button.tsx';
import { Modal, type ModalProps, ModalTitle } from './modal.tsx';
import { useWords } from './words.tsx';

export interface DialogProps extends Omit<ModalProps, 'className'> {
  title: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  /** 480 or 720 px. */
  size?: 'medium' | 'large';
}

export function Dialog({ title, footer, size = 'medium', children, ...modal }: DialogProps) {
  const words = useWords();
  return (
    <Modal {...modal} className={styles[size]}>
      <header className={styles.header}>
        <ModalTitle className={styles.title}>{title}</ModalTitle>
        {modal.dismissable !== false && (
          <IconButton
            icon={X}
            size="small"
            label={words.close}
            className={styles.close}
            onClick={() => modal.onOpenChange(false)}
          />
        )}
      </header>
      <div className={styles.body}>{children}</div>
      {footer && <footer className={styles.footer}>{footer}</footer>}
    </Modal>
  );
}
