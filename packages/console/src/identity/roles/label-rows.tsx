/** Labels that a thing must have to be reached: each with the values it may have. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import Plus from 'lucide-react/icons/plus';
import X from 'lucide-react/icons/x';
import { type SubmitEvent, useId, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { AddingRow } from '../../shared/document-editor/document-form.tsx';
import { textsAt, valueAt } from '../../shared/document-editor/read-document.ts';
import type { FormDocument } from './role-fields.ts';
import styles from './role-form.module.css';
import { traitWords } from './trait-words.ts';

interface LabelRowsProps {
  label: string;
  path: readonly string[];
  document: FormDocument;
}

export function LabelRows({ label, path, document: { value, isReadOnly, set } }: LabelRowsProps) {
  const t = useTranslate();
  const labelId = useId();
  const found = valueAt(value, path);
  const keys = typeof found === 'object' && found !== null ? Object.keys(found) : [];
  const isAll = keys.length === 1 && keys[0] === '*' && textsAt(value, [...path, '*']).join() === '*';
  const write = (key: string, values: readonly string[]) => {
    const single = values.length === 1 ? values[0] : values;
    set([...path, key], values.length === 0 ? undefined : single);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form's part
    <div role="group" aria-labelledby={labelId} className={styles.labels}>
      <span id={labelId} className={styles.label}>
        {label}
      </span>
      {isAll && (
        <div className={styles.allRow}>
          {t('roles.all-of-them')}
          {!isReadOnly && (
            <IconButton
              icon={X}
              size="small"
              label={t('roles.drop-all')}
              onClick={() => set([...path, '*'], undefined)}
            />
          )}
        </div>
      )}
      {(isAll ? [] : keys).map((key) => {
        const values = textsAt(value, [...path, key]);
        return (
          <div key={key} className={styles.labelRow}>
            <span className={styles.labelKey} title={key}>
              {key === '*' ? t('roles.any-label') : key}
            </span>
            <span className={styles.labelIs}>{t('roles.is', { count: values.length })}</span>
            <TokenInput
              label={t('roles.values-of', { label: key })}
              labelHidden
              value={values}
              shownAs={(value) => traitWords(t, value)}
              disabled={isReadOnly}
              onValueChange={(next) => write(key, next)}
            />
            {!isReadOnly && (
              <IconButton
                icon={X}
                size="small"
                label={t('roles.drop-label', { label: key })}
                onClick={() => set([...path, key], undefined)}
              />
            )}
          </div>
        );
      })}
      {keys.length === 0 && <p className={styles.nothing}>{t('roles.reaches-none')}</p>}
      {!isReadOnly && !isAll && (
        <NewLabel
          taken={keys}
          onAdd={(key, values) => write(key, values)}
          onAll={keys.length === 0 ? () => write('*', ['*']) : undefined}
        />
      )}
    </div>
  );
}

interface NewLabelProps {
  taken: readonly string[];
  onAdd: (key: string, values: string[]) => void;
  /** Where nothing is chosen yet, everything can be. */
  onAll: (() => void) | undefined;
}

function NewLabel({ taken, onAdd, onAll }: NewLabelProps) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const isTaken = taken.includes(key.trim());
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    if (key.trim() === '' || value.trim() === '' || isTaken) return;
    onAdd(
      key.trim(),
      value
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    );
    setKey('');
    setValue('');
    setOpen(false);
  };
  if (!isOpen) {
    return (
      <AddingRow>
        <Button size="small" tone="ghost" icon={Plus} onClick={() => setOpen(true)}>
          {t('roles.add-label')}
        </Button>
        {onAll && (
          <Button size="small" tone="ghost" onClick={onAll}>
            {t('roles.all-labels')}
          </Button>
        )}
      </AddingRow>
    );
  }
  return (
    <form className={styles.newLabel} onSubmit={add}>
      <TextField
        label={t('roles.label-name')}
        labelHidden
        placeholder={t('roles.label-name')}
        autoFocus
        mono
        value={key}
        onValueChange={setKey}
        error={isTaken ? t('roles.label-taken') : undefined}
      />
      <TextField
        label={t('roles.label-values')}
        labelHidden
        placeholder={t('roles.label-values')}
        mono
        value={value}
        onValueChange={setValue}
      />
      <Button type="submit">{t('roles.add')}</Button>
      <Button tone="ghost" onClick={() => setOpen(false)}>
        {t('access.cancel')}
      </Button>
    </form>
  );
}
