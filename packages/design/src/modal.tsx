/** What dialogs and the command palette share: layer 1200, backdrop, held focus and page, focus given back. */

import * as Dialog from 'radix-ui/dialog';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { classNames } from './class-names.ts';
import styles from './modal.module.css';
import { useScrollLock } from './scroll-lock.ts';

const NAMED = '[data-autofocus]';
const FIRST_FIELD = 'input:not([type=hidden]), select, textarea';

export interface ModalProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** False keeps Escape and the backdrop from closing it, for work that must be finished or cancelled. */
  dismissable?: boolean;
  /** 'top' for what grows downwards as it is filled. */
  place?: 'center' | 'top';
  className?: string;
  children: ReactNode;
}

/** Where focus goes afterwards. A menu that opened the modal is gone by then, so its button takes it. */
function returnTarget(focused: EventTarget | null): HTMLElement | undefined {
  if (!(focused instanceof HTMLElement) || focused === document.body) return undefined;
  const button = focused.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || focused;
}

/** Remembers what had the focus before the modal opened; when it opens, a menu has often left already. */
function useOpener(open: boolean): RefObject<HTMLElement | undefined> {
  const opener = useRef<HTMLElement>(undefined);
  useEffect(() => {
    if (open) return;
    const remember = (event: FocusEvent) => {
      opener.current = returnTarget(event.target);
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, [open]);
  return opener;
}

export function Modal({ open, onOpenChange, dismissable = true, place = 'center', className, children }: ModalProps) {
  const content = useRef<HTMLDivElement>(null);
  const opener = useOpener(open);
  useScrollLock(open);

  const refuse = (event: Event) => {
    // A toast may be gone from the page by now; what was pressed still hangs in its list item.
    const inToast = event.target instanceof Element && event.target.closest('[data-toast]');
    if (!dismissable || inToast) event.preventDefault();
  };
  // No Dialog.Overlay: it is the part that writes a style element. The backdrop is ours.
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <div className={styles.backdrop} data-backdrop="" data-state={open ? 'open' : 'closed'} />
        <Dialog.Content
          ref={content}
          className={classNames(styles.content, place === 'top' && styles.top, className)}
          aria-describedby={undefined}
          onEscapeKeyDown={refuse}
          onInteractOutside={refuse}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            opener.current = returnTarget(document.activeElement) ?? opener.current;
            const find = (what: string) => content.current?.querySelector<HTMLElement>(what);
            (find(NAMED) ?? find(FIRST_FIELD) ?? content.current)?.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            opener.current?.focus();
          }}
        >
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The modal's name; every modal has one. */
export function ModalTitle({ className, children }: { className?: string; children: ReactNode }) {
  return <Dialog.Title className={className}>{children}</Dialog.Title>;
}
