/** What is asked beside the text of the editor: where, of which fields, in which order, how many. */
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { TextField } from '@gatehouse/design/text-field';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './documents.module.css';
import { QUERY_MODES, type QueryForm, type WrongField } from './query-form.ts';

interface QueryFieldsProps {
  form: QueryForm;
  wrong: WrongField | undefined;
  onChange: (next: Partial<QueryForm>) => void;
  onRun: () => void;
}

const OF_FIND = ['projection', 'sort', 'limit', 'skip'] as const;

export function QueryFields({ form, wrong, onChange, onRun }: QueryFieldsProps) {
  const t = useTranslate();
  const field = (name: 'collection' | 'database' | (typeof OF_FIND)[number]) => (
    <div key={name} className={name === 'limit' || name === 'skip' ? styles.short : undefined}>
      <TextField
        label={t(`mongo.${name}`)}
        mono
        placeholder={PLACEHOLDERS[name]}
        value={form[name]}
        error={wrong?.field === name ? wrong.message : undefined}
        onValueChange={(value) => onChange({ [name]: value })}
      />
    </div>
  );
  return (
    <form
      className={styles.fields}
      aria-label={t('mongo.question')}
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
    >
      <SegmentedControl
        size="small"
        label={t('mongo.mode')}
        segments={QUERY_MODES.map((mode) => ({ value: mode, label: t(`mongo.mode-${mode}`) }))}
        value={form.mode}
        onValueChange={(mode) => onChange({ mode })}
      />
      {form.mode !== 'command' && (
        <div className={styles.row}>
          {field('database')}
          {field('collection')}
          {form.mode === 'find' && OF_FIND.map(field)}
        </div>
      )}
      {/* Enter in a field runs it. */}
      <button type="submit" hidden />
    </form>
  );
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  projection: '{ name: 1 }',
  sort: '{ _id: -1 }',
  limit: '',
  skip: '0',
};
