/** A dialog: closes on Escape or on its backdrop unless told otherwise, and gives the focus back. */

import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { IconButton } from './icon-button.tsx';
import { Modal, type ModalProps, ModalTitle } from './modal.tsx';
import { useWords } from './words.tsx';

export interface DialogProps extends Omit<ModalProps, 'className' | 'place'> {
  title: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  /** 480 or 720 px. */
  size?: 'medium' | 'large';
}

export function Dialog({ title, footer, size = 'medium', children, ...modal }: DialogProps) {
  const close = modal.dismissable === false ? undefined : () => modal.onOpenChange(false);
  return (
    <Modal {...modal} className={styles[size]}>
      <DialogFrame title={<ModalTitle className={styles.title}>{title}</ModalTitle>} footer={footer} onClose={close}>
        {children}
      </DialogFrame>
    </Modal>
  );
}

interface DialogFrameProps {
  title: ReactNode;
  footer?: ReactNode;
  onClose?: () => void;
  children: ReactNode;
}

/** What stands inside a dialog; by itself only in the gallery. */
export function DialogFrame({ title, footer, onClose, children }: DialogFrameProps) {
  const words = useWords();
  return (
    <>
      <header className={styles.header}>
        {title}
        {onClose && <IconButton icon={X} size="small" label={words.close} className={styles.close} onClick={onClose} />}
      </header>
      <div className={styles.body}>{children}</div>
      {footer && <footer className={styles.footer}>{footer}</footer>}
    </>
  );
}
