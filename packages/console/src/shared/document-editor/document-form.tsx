/** A document as a form: its sections, what differs from the saved one, and what only its text shows. */
import { Notice } from '@gatehouse/design/notice';
import type { ReactNode } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './document-form.module.css';
import { valueAt } from './read-document.ts';
import { sameValue } from './same-value.ts';

interface DocumentFormProps {
  /** The text cannot be read now: the form shows what it last said. */
  isBehind: boolean;
  /** Fields the document has and the form does not. */
  hidden: readonly string[];
  children: ReactNode;
}

export function DocumentForm({ isBehind, hidden, children }: DocumentFormProps) {
  const t = useTranslate();
  return (
    <div className={styles.form}>
      {isBehind && (
        <div className={styles.behind}>
          <Notice tone="warn">{t('document.form-behind')}</Notice>
        </div>
      )}
      {children}
      {hidden.length > 0 && (
        <p className={styles.hidden}>{t('document.only-in-text', { fields: hidden.join(', ') })}</p>
      )}
    </div>
  );
}

interface DocumentSectionProps {
  title?: string | undefined;
  lead?: string;
  children: ReactNode;
}

export function DocumentSection({ title, lead, children }: DocumentSectionProps) {
  return (
    <section className={styles.section}>
      {title !== undefined && <h2 className={styles.title}>{title}</h2>}
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  );
}

interface ChangeableProps {
  value: unknown;
  /** Nothing for a new document: all of it is new. */
  saved: unknown;
  path: readonly (string | number)[];
  children: ReactNode;
}

/** The amber bar at the page's edge beside what differs from the saved document. */
export function Changeable({ value, saved, path, children }: ChangeableProps) {
  const isChanged = saved !== undefined && !sameValue(valueAt(value, path), valueAt(saved, path));
  return (
    <div className={styles.changeable} data-changed={isChanged || undefined}>
      {children}
    </div>
  );
}

/** Where something is added to a list; its button stands in line with what is above. */
export function AddingRow({ children }: { children: ReactNode }) {
  return <div className={styles.adding}>{children}</div>;
}
