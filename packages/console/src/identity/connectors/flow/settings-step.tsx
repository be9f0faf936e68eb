/** Second step: the connector as a form and as its text, which are the same document. */
import { CONNECTOR_DOCUMENTS } from '@gatehouse/contract/identity/connectors/connector-document';
import { CONNECTOR_KINDS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { Notice } from '@gatehouse/design/notice';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type DocumentSchema, documentSchema } from '../../../shared/document-editor/editor/document-schema.ts';
import { type Problem, textsAt } from '../../../shared/document-editor/read-document.ts';
import { TextPane } from '../../../shared/document-editor/text-pane.tsx';
import type { ConnectorDraft } from '../draft/use-connector-draft.ts';
import { ConnectorForm } from '../form/connector-form.tsx';
import type { PresetName } from '../presets.ts';
import styles from './flow.module.css';

const PANES = ['form', 'text'] as const;

const SCHEMAS = Object.fromEntries(
  CONNECTOR_KINDS.map((kind) => [kind, documentSchema(CONNECTOR_DOCUMENTS[kind])]),
) as Readonly<Record<ConnectorKind, DocumentSchema>>;

interface SettingsStepProps {
  kind: ConnectorKind;
  preset: PresetName;
  draft: ConnectorDraft;
  problems: readonly Problem[];
  hasSecret: boolean;
  mayEdit: boolean;
  /** Why the gateway would not have it, for no field of it. */
  refusal: string | undefined;
  /** Somebody has gone on from here before. */
  isPassed: boolean;
}

export function SettingsStep(props: SettingsStepProps) {
  const { kind, preset, draft, problems, hasSecret, mayEdit, refusal, isPassed } = props;
  const t = useTranslate();
  const [pane, setPane] = useState<(typeof PANES)[number]>('form');
  const isNameless = draft.isReadable && (textsAt(draft.value, ['metadata', 'name'])[0] ?? '').trim() === '';
  return (
    <>
      <div className={styles.switcher}>
        <SegmentedControl
          label={t('document.panes')}
          value={pane}
          onValueChange={setPane}
          segments={PANES.map((value) => ({ value, label: t(`document.pane-${value}`) }))}
        />
      </div>
      {refusal !== undefined && (
        <div className={styles.refusal}>
          <Notice tone="bad">{refusal}</Notice>
        </div>
      )}
      <div className={styles.panes} data-pane={pane}>
        <section
          className={styles.formPane}
          data-step-start=""
          aria-label={t('document.pane-form')}
          // With every field disabled, the keyboard could not scroll it.
          tabIndex={mayEdit && draft.isReadable ? undefined : 0}
        >
          <ConnectorForm
            kind={kind}
            preset={preset}
            draft={draft}
            problems={problems}
            hasSecret={hasSecret}
            isReadOnly={!mayEdit || !draft.isReadable}
            isPassed={isPassed}
          />
        </section>
        <TextPane
          label={t('connectors.text-label')}
          schema={SCHEMAS[kind]}
          className={styles.textPane}
          draft={draft}
          problems={problems}
          isNameless={isNameless}
          isRefused={refusal !== undefined}
          hiding={{ onLeave: draft.hide, copied: draft.shown }}
          isReadOnly={!mayEdit}
        />
      </div>
    </>
  );
}
