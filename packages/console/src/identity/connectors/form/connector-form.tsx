/** A connector as a form: the same document as the text beside it, in words. */
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DocumentForm, DocumentSection } from '../../../shared/document-editor/document-form.tsx';
import { changedFields, valueAt } from '../../../shared/document-editor/read-document.ts';
import { type FieldSection, fieldSections, onlyInText } from './connector-fields.ts';
import styles from './connector-form.module.css';
import { FieldOf, type FormState } from './field-of.tsx';
import { MappingList } from './mapping-list.tsx';
import { problemAt } from './problem-at.ts';
import { TraitsList } from './traits-list.tsx';

export function ConnectorForm(props: FormState) {
  const t = useTranslate();
  const { kind, preset, draft, problems, isReadOnly, isPassed } = props;
  const [provider, look, rules, seldom] = fieldSections(kind) as [
    FieldSection,
    FieldSection,
    FieldSection,
    FieldSection,
  ];
  const hidden = changedFields({}, draft.value).filter(onlyInText(kind));
  const isUsed = ({ name }: { name: string }) => valueAt(draft.value, ['spec', name]) !== undefined;
  const isSeldomUsed = seldom.fields.some(isUsed);
  // As the fields themselves tell it.
  const isToldOf = (field: { name: string }) => isPassed || draft.savedValue !== undefined || isUsed(field);
  const isSeldomWrong = seldom.fields.some(
    (field) => isToldOf(field) && problemAt(problems, `spec.${field.name}`) !== undefined,
  );
  // Once open it stays so: emptying a field would take it from under the hands of whoever types there.
  const [isSeldomShown, setSeldomShown] = useState(isSeldomUsed);
  const [shownFor, setShownFor] = useState({ isSeldomUsed, isSeldomWrong: false });
  // What is wrong must not be hidden, once it is told: also where somebody has closed it before.
  if (shownFor.isSeldomUsed !== isSeldomUsed || shownFor.isSeldomWrong !== isSeldomWrong) {
    setShownFor({ isSeldomUsed, isSeldomWrong });
    const isNew = (isSeldomUsed && !shownFor.isSeldomUsed) || (isSeldomWrong && !shownFor.isSeldomWrong);
    if (isNew && !isSeldomShown) setSeldomShown(true);
  }
  return (
    <DocumentForm isBehind={!draft.isReadable} hidden={hidden}>
      <Section section={provider} form={props} />
      <DocumentSection title={t('connectors.mapping')} lead={t('connectors.mapping-lead')}>
        <MappingList
          kind={kind}
          preset={preset}
          draft={draft}
          problems={problems}
          isReadOnly={isReadOnly}
          isPassed={isPassed}
          startsOpen
        />
      </DocumentSection>
      <Section section={look} form={props} />
      <Section section={rules} form={props} />
      <DocumentSection title={t('connectors.traits')} lead={t('connectors.traits-lead')}>
        <TraitsList draft={draft} problems={problems} isReadOnly={isReadOnly} isPassed={isPassed} />
      </DocumentSection>
      <details
        className={styles.seldom}
        open={isSeldomShown || undefined}
        onToggle={({ currentTarget }) => setSeldomShown(currentTarget.open)}
      >
        <summary>{t('connectors.section-seldom')}</summary>
        <Section section={seldom} form={props} isTitled={false} />
      </details>
    </DocumentForm>
  );
}

interface SectionProps {
  section: FieldSection;
  form: FormState;
  isTitled?: boolean;
}

function Section({ section: { id, fields }, form, isTitled = true }: SectionProps) {
  const t = useTranslate();
  return (
    <DocumentSection title={isTitled ? t(`connectors.section-${id}`) : undefined}>
      {fields.map((field) => (
        <FieldOf key={field.name} field={field} form={form} />
      ))}
    </DocumentSection>
  );
}
