/** Which claims become traits, and under which names: what roles let people use by names of their own. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { TextField } from '@gatehouse/design/text-field';
import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AddingRow } from '../../../shared/document-editor/document-form.tsx';
import { textsAt, valueAt } from '../../../shared/document-editor/read-document.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import styles from './connector-form.module.css';

const PARTS = ['from', 'value', 'to', 'as'] as const;

export function TraitsList({ draft, isReadOnly }: { draft: Draft; isReadOnly: boolean }) {
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
            <TextField
              key={part}
              label={t(`connectors.trait-${part}`)}
              optional={part === 'value' || part === 'as'}
              mono
              autoComplete="off"
              spellCheck={false}
              disabled={isReadOnly}
              value={textsAt(row, [part])[0] ?? ''}
              onValueChange={(next) =>
                draft.setField(
                  [...path, at, part],
                  next === '' && (part === 'value' || part === 'as') ? undefined : next,
                )
              }
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
