/** Short news at the corner of the window. Good news leaves by itself, bad news waits to be dismissed. */

import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import styles from './toast.module.css';
import { ToastCard, type ToastMessage } from './toast-card.tsx';
import { useWords } from './words.tsx';

const SHOWN_MS = 6000;

export interface ShownToast extends ToastMessage {
  /** Infinity keeps it; bad news is kept unless told otherwise. */
  durationMs?: number;
}

export interface Toaster {
  show: (toast: ShownToast) => number;
  dismiss: (id: number) => void;
}

interface Entry extends ShownToast {
  id: number;
}

const ToasterContext = createContext<Toaster | undefined>(undefined);

export function useToast(): Toaster {
  const toaster = use(ToasterContext);
  if (!toaster) throw new Error('useToast is used outside a ToastProvider');
  return toaster;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const words = useWords();
  const nextId = useRef(1);
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [held, setHeld] = useState(false);

  const dismiss = useCallback((id: number) => {
    setEntries((all) => all.filter((entry) => entry.id !== id));
    // A button that leaves the page with its toast tells nobody that the focus or the pointer left too.
    setHeld(false);
  }, []);
  const show = useCallback((toast: ShownToast) => {
    const id = nextId.current++;
    setEntries((all) => [...all, { ...toast, id }]);
    return id;
  }, []);
  const toaster = useMemo(() => ({ show, dismiss }), [show, dismiss]);

  const isBad = (entry: Entry) => entry.tone === 'bad';
  const list = (shown: Entry[]) =>
    shown.map((entry) => (
      <li key={entry.id} data-toast="">
        <TimedToast entry={entry} held={held} onDismiss={dismiss} />
      </li>
    ));
  // Both lists are always there: a live region that appears together with its text is not read.
  return (
    <ToasterContext value={toaster}>
      {children}
      <section
        aria-label={words.notifications}
        className={styles.region}
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        <ol className={styles.list} aria-live="polite">
          {list(entries.filter((entry) => !isBad(entry)))}
        </ol>
        <ol className={styles.list} aria-live="assertive">
          {list(entries.filter(isBad))}
        </ol>
      </section>
    </ToasterContext>
  );
}

interface TimedToastProps {
  entry: Entry;
  /** While someone points at or reads the toasts, none of them leaves. */
  held: boolean;
  onDismiss: (id: number) => void;
}

function TimedToast({ entry, held, onDismiss }: TimedToastProps) {
  const { id, tone, title, text } = entry;
  const durationMs = entry.durationMs ?? (tone === 'bad' ? Number.POSITIVE_INFINITY : SHOWN_MS);

  useEffect(() => {
    if (held || durationMs === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => onDismiss(id), durationMs);
    return () => clearTimeout(timer);
  }, [held, durationMs, id, onDismiss]);

  return <ToastCard tone={tone} title={title} text={text} onDismiss={() => onDismiss(id)} />;
}
