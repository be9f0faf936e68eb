/** One value in whole: to read, to copy, and to change where its row can be. */
import { MAX_EDITOR_SQL } from '@gatehouse/contract/kinds/db/editor';
import { Button } from '@gatehouse/design/button';
import { Checkbox } from '@gatehouse/design/checkbox';
import { CodeBlock } from '@gatehouse/design/code-block';
import { TextArea } from '@gatehouse/design/text-area';
import { useEffect, useRef, useState } from 'react';
import { formatBytes, formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Cell } from '../bench/row-buffer.ts';
import type { Result } from '../bench/work.ts';
import { isJson } from '../grid/cell-text.ts';
import type { StagedRow } from '../grid/grid-row.tsx';
import type { CellAt } from '../grid/moved-by.ts';
import styles from './side.module.css';

interface ValuePanelProps {
  result: Result | undefined;
  cell: CellAt | undefined;
  staged: StagedRow | undefined;
  /** Counts up when somebody wants to write here. */
  asked: number;
  onStage: (value: Cell) => void;
  onDone: () => void;
}

export function ValuePanel({ result, cell, staged, asked, onStage, onDone }: ValuePanelProps) {
  const t = useTranslate();
  if (!result || !cell) return <p className={styles.none}>{t('workbench.value-none')}</p>;
  const { row, column } = cell;
  const change = staged?.values[column];
  const value = change === undefined ? result.rows.at(row)?.[column] : change;
  const bytes = change === undefined ? result.rows.cutAt(row, column) : undefined;
  const type = result.types[column] ?? '';
  const name = result.names[column] ?? '';
  const mayEdit = result.source !== undefined && bytes === undefined && staged?.isRemoved !== true;
  return (
    <div className={styles.value}>
      <p className={styles.what}>
        <code>{name}</code> <code className={styles.faint}>{type}</code>
        <span className={styles.faint}>{t('workbench.value-row', { row: formatNumber(row + 1) })}</span>
      </p>
      {value === null && <p className={styles.none}>{t('workbench.value-null')}</p>}
      {value === '' && <p className={styles.none}>{t('workbench.value-empty')}</p>}
      {bytes !== undefined && <p className={styles.none}>{t('workbench.value-cut', { size: formatBytes(bytes) })}</p>}
      {value !== null && value !== undefined && value !== '' && !mayEdit && (
        <CodeBlock label={t('workbench.value-of', { name })} code={isJson(type) ? pretty(value) : value} wrap />
      )}
      {mayEdit && (
        <ValueForm
          // Another cell begins with its own value.
          key={`${row} ${column} ${String(change)}`}
          name={name}
          value={value ?? null}
          asked={asked}
          onStage={onStage}
          onDone={onDone}
        />
      )}
    </div>
  );
}

interface ValueFormProps {
  name: string;
  value: Cell;
  asked: number;
  onStage: (value: Cell) => void;
  onDone: () => void;
}

function ValueForm({ name, value, asked, onStage, onDone }: ValueFormProps) {
  const t = useTranslate();
  const [text, setText] = useState(value ?? '');
  const [isNull, setNull] = useState(value === null);
  const place = useRef<HTMLFormElement>(null);
  const seen = useRef(0);
  useEffect(() => {
    if (asked === seen.current) return;
    seen.current = asked;
    if (asked > 0) place.current?.querySelector('textarea')?.focus();
  }, [asked]);
  const stage = () => {
    onStage(isNull ? null : text);
    onDone();
  };
  return (
    <form
      ref={place}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        stage();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) stage();
        else if (event.key === 'Escape') onDone();
        else return;
        event.preventDefault();
      }}
    >
      <TextArea
        label={t('workbench.value-of', { name })}
        mono
        rows={8}
        maxLength={MAX_EDITOR_SQL}
        value={isNull ? '' : text}
        placeholder={isNull ? 'NULL' : undefined}
        onValueChange={(next) => {
          setText(next);
          setNull(false);
        }}
      />
      <Checkbox label={t('workbench.value-set-null')} checked={isNull} onCheckedChange={setNull} />
      <Button type="submit" size="small" disabled={isNull ? value === null : text === value}>
        {t('workbench.value-stage')}
      </Button>
    </form>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
