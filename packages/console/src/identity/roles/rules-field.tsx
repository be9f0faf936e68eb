/** What holders may do with the console and the API: kinds of things, and what may be done to them. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import Plus from 'lucide-react/icons/plus';
import X from 'lucide-react/icons/x';
import { useTranslate } from '../../platform/i18n/words.ts';
import { AddingRow, Changeable } from '../../shared/document-editor/document-form.tsx';
import { textsAt, valueAt } from '../../shared/document-editor/read-document.ts';
import type { FormDocument } from './role-fields.ts';
import styles from './role-form.module.css';

const PATH = ['spec', 'allow', 'rules'] as const;

export function RulesField({ document }: { document: FormDocument }) {
  const t = useTranslate();
  const { value, isReadOnly, set } = document;
  const found = valueAt(value, PATH);
  const rules: unknown[] = Array.isArray(found) ? found : [];
  const add = () => {
    const rule = { resources: ['node'], verbs: ['list', 'read'] };
    if (rules.length === 0) set(PATH, [rule]);
    else set([...PATH, rules.length], rule);
  };
  return (
    <>
      {rules.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules have no name; their place is all that tells them apart
        <Changeable key={index} {...document} path={[...PATH, index]}>
          <Rule document={document} index={index} />
        </Changeable>
      ))}
      {rules.length === 0 && <p className={styles.nothing}>{t('roles.no-rules')}</p>}
      {!isReadOnly && (
        <AddingRow>
          <Button size="small" tone="ghost" icon={Plus} onClick={add}>
            {t('roles.add-rule')}
          </Button>
        </AddingRow>
      )}
    </>
  );
}

function Rule({ document: { value, isReadOnly, set }, index }: { document: FormDocument; index: number }) {
  const t = useTranslate();
  const at = (field: string) => [...PATH, index, field];
  const [where = ''] = textsAt(value, at('where'));
  const number = index + 1;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form's part
    <div role="group" aria-label={t('roles.rule', { number })} className={styles.rule}>
      <TokenInput
        label={t('roles.rule-resources')}
        value={textsAt(value, at('resources'))}
        disabled={isReadOnly}
        onValueChange={(names) => set(at('resources'), names)}
      />
      <TokenInput
        label={t('roles.rule-verbs')}
        value={textsAt(value, at('verbs'))}
        disabled={isReadOnly}
        onValueChange={(names) => set(at('verbs'), names)}
      />
      {where !== '' && (
        <TextField
          label={t('roles.rule-where')}
          mono
          className={styles.where}
          value={where}
          disabled={isReadOnly}
          onValueChange={(text) => set(at('where'), text || undefined)}
        />
      )}
      {!isReadOnly && (
        <IconButton
          icon={X}
          size="small"
          label={t('roles.drop-rule', { number })}
          className={styles.dropRule}
          onClick={() => set([...PATH, index], undefined)}
        />
      )}
    </div>
  );
}
