/** The last look before a connector is saved: what changes in its text, what the gateway notes, and for whom it changes what. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DiffView } from '../../../shared/document-editor/diff-view.tsx';
import type { Problem } from '../../../shared/document-editor/read-document.ts';
import type { ConnectorDraft } from '../draft/use-connector-draft.ts';
import { EffectPane } from '../trial/effect-pane.tsx';
import styles from './flow.module.css';

interface SaveStepProps {
  kind: ConnectorKind;
  draft: ConnectorDraft;
  problems: readonly Problem[];
  isNew: boolean;
  notes: readonly string[];
  /** Why the gateway would not have it, for no field of it. */
  refusal: string | undefined;
  /** What saving was refused with. */
  refused: string | undefined;
}

export function SaveStep({ kind, draft, problems, isNew, notes, refusal, refused }: SaveStepProps) {
  const t = useTranslate();
  return (
    <div className={styles.two}>
      <section className={styles.pane} aria-labelledby="save-what">
        <h2 id="save-what" className={styles.title} tabIndex={-1} data-step-start="">
          {t(isNew ? 'connectors.save-new' : 'connectors.save-what')}
        </h2>
        {refused !== undefined && <Notice tone="bad">{refused}</Notice>}
        {refusal !== undefined && refusal !== refused && <Notice tone="bad">{refusal}</Notice>}
        {problems.length > 0 && (
          <Notice tone="bad" title={t('document.mend-first')}>
            <ul className={styles.list}>
              {problems.map(({ line, column, path, message }) => (
                <li key={`${line}:${column}:${message}`}>
                  {t('document.at', { line, column })}: {path ? `${path}: ${message}` : message}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {notes.length > 0 && (
          <Notice tone="warn" announce="none" title={t('connectors.notes')}>
            <ul className={styles.list}>
              {notes.map((note) => (
                <li key={note}>{asSentence(note)}</li>
              ))}
            </ul>
          </Notice>
        )}
        {draft.isChanged || isNew ? (
          <DiffView isTall label={t('document.diff')} before={draft.base?.content ?? ''} after={draft.shown ?? ''} />
        ) : (
          <p className={styles.muted}>{t('document.nothing-changed')}</p>
        )}
      </section>
      <section className={styles.side} aria-labelledby="save-effect">
        <h2 id="save-effect" className={styles.title}>
          {t('connectors.effect')}
        </h2>
        <EffectPane kind={kind} draft={draft} isFaulty={problems.length > 0 || refusal !== undefined} isNew={isNew} />
      </section>
    </div>
  );
}
