/** A role as a form: the same document as the text beside it, in words. */
import { TextField } from '@gatehouse/design/text-field';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { Changeable, DocumentForm, DocumentSection } from '../../shared/document-editor/document-form.tsx';
import { changedFields, type DocumentValue, textsAt, valueAt } from '../../shared/document-editor/read-document.ts';
import { useKinds } from '../../shared/kinds/kinds-context.tsx';
import { FieldOf } from './form-fields.tsx';
import { type FormDocument, type FormSection, formSections, onlyInText, SESSION_FIELDS } from './role-fields.ts';
import styles from './role-form.module.css';
import { RulesField } from './rules-field.tsx';

interface RoleFormProps {
  document: FormDocument & { value: DocumentValue };
  /** The text cannot be read now: the form shows what it last said. */
  isBehind: boolean;
  /** A new role still needs a name. */
  isNew: boolean;
}

export function RoleForm({ document, isBehind, isNew }: RoleFormProps) {
  const t = useTranslate();
  const { value, isReadOnly, set } = document;
  const table = useKinds();
  const sections = useMemo(() => formSections(table), [table]);
  const hidden = changedFields({}, value).filter(onlyInText(sections));
  const lengths = SESSION_FIELDS.filter(({ type }) => type !== 'switch');
  const switches = SESSION_FIELDS.filter(({ type }) => type === 'switch');
  return (
    <DocumentForm isBehind={isBehind} hidden={hidden}>
      <DocumentSection title={t('roles.section-about')}>
        {isNew && (
          <TextField
            label={t('roles.name')}
            hint={t('roles.name-hint')}
            autoComplete="off"
            spellCheck={false}
            maxLength={128}
            // What nobody can save without comes first.
            autoFocus
            value={textsAt(value, ['metadata', 'name'])[0] ?? ''}
            onValueChange={(name) => set(['metadata', 'name'], name)}
          />
        )}
        <Changeable {...document} path={['metadata', 'description']}>
          <TextField
            label={t('roles.description')}
            autoComplete="off"
            maxLength={4096}
            disabled={isReadOnly}
            value={textsAt(value, ['metadata', 'description'])[0] ?? ''}
            onValueChange={(text) => set(['metadata', 'description'], text || undefined)}
          />
        </Changeable>
      </DocumentSection>
      {sections
        .filter(({ isToCome }) => !isToCome)
        .map((section) => (
          <Section key={section.id} section={section} document={document} />
        ))}
      <DocumentSection title={t('roles.section-rules')}>
        <RulesField document={document} />
      </DocumentSection>
      <DocumentSection title={t('roles.section-sessions')}>
        <div className={styles.columns}>
          {lengths.map((field) => (
            <FieldOf key={field.path.join('.')} field={field} document={document} />
          ))}
        </div>
        {switches.map((field) => (
          <FieldOf key={field.path.join('.')} field={field} document={document} />
        ))}
      </DocumentSection>
      <KindsToCome sections={sections.filter(({ isToCome }) => isToCome)} document={document} />
    </DocumentForm>
  );
}

function Section({ section: { title, fields }, document }: { section: FormSection; document: FormDocument }) {
  const t = useTranslate();
  return (
    <DocumentSection title={t(title)}>
      {fields.map((field) => (
        <FieldOf key={field.path.join('.')} field={field} document={document} />
      ))}
    </DocumentSection>
  );
}

/** Folded away: what they say gives nothing yet, and half the form would be about it. */
function KindsToCome({ sections, document }: { sections: readonly FormSection[]; document: FormDocument }) {
  const t = useTranslate();
  const named = sections.filter(({ fields }) => fields.some(({ path }) => valueAt(document.value, path) !== undefined));
  return (
    <details className={styles.toCome}>
      <summary>
        {t('roles.to-come')}
        {named.length > 0 && (
          <span className={styles.nothing}>
            {' '}
            {t('roles.to-come-named', { kinds: named.map(({ title }) => t(title)).join(', ') })}
          </span>
        )}
      </summary>
      <p className={styles.nothing}>{t('roles.to-come-text')}</p>
      {sections.map((section) => (
        <Section key={section.id} section={section} document={document} />
      ))}
    </details>
  );
}
