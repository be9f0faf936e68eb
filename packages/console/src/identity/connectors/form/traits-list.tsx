/** Which claims become traits, and under which names: what roles let people use by names of their own. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { TextField } from '@gatehouse/design/text-field';
import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AddingRow } from '../../../shared/document-editor/document-form.tsx';
import { type Problem, textsAt, valueAt } from '../../../shared/document-editor/read-document.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import styles from './connector-form.module.css';
import { problemAt } from './problem-at.ts';

const PARTS = ['from', 'value', 'to', 'as'] as const;

interface TraitsListProps {
  draft: Draft;
  problems: readonly Problem[];
  isReadOnly: boolean;
  /** Somebody has gone on from here before. */
  isPassed: boolean;
}

export function TraitsList({ draft, problems, isReadOnly, isPassed }: TraitsListProps) {
  const t = useTranslate();
  const path = ['spec', 'traits'] as const;
  const found = valueAt(draft.value, path);
  const rows: unknown[] = Array.isArray(found) ? found : [];
  return (
    <div className={styles.traits}>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place alone
        <div key={at} className={styles.trait}>
          {PARTS.map((part) => (
            <TraitField
              key={part}
              part={part}
              problem={problemAt(problems, `spec.traits[${at}].${part}`)}
              isMet={isPassed || draft.savedValue !== undefined}
              disabled={isReadOnly}
              value={textsAt(row, [part])[0] ?? ''}
              onValueChange={(next) => draft.setField([...path, at, part], next)}
            />
          ))}
          {!isReadOnly && (
            <IconButton
              icon={Trash2}
              label={t('connectors.drop-trait', { number: at + 1 })}
              className={styles.dropTrait}
              onClick={() =>
                draft.setField(path, rows.length === 1 ? undefined : rows.filter((_, other) => other !== at))
              }
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <AddingRow>
          <Button
            tone="ghost"
            size="small"
            icon={Plus}
            onClick={() => draft.setField(path, [...rows, { from: '', to: '' }])}
          >
            {t('connectors.add-trait')}
          </Button>
        </AddingRow>
      )}
    </div>
  );
}

interface TraitFieldProps {
  part: (typeof PARTS)[number];
  problem: string | undefined;
  /** Also while it is empty, and nobody has come to it. */
  isMet: boolean;
  disabled: boolean;
  value: string;
  onValueChange: (value: string | undefined) => void;
}

function TraitField({ part, problem, isMet, disabled, value, onValueChange }: TraitFieldProps) {
  const t = useTranslate();
  const [wasLeft, setLeft] = useState(false);
  const isOptional = part === 'value' || part === 'as';
  return (
    <TextField
      label={t(`connectors.trait-${part}`)}
      error={isMet || wasLeft || value !== '' ? problem : undefined}
      optional={isOptional}
      mono
      disabled={disabled}
      value={value}
      onBlur={() => setLeft(true)}
      onValueChange={(next) => onValueChange(next === '' && isOptional ? undefined : next)}
    />
  );
}
