/** Under the editor: the documents that were found, as a tree or a table, and what was said. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { useToast } from '@gatehouse/design/toast';
import { useMemo, useState } from 'react';
import { formatNumber } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { isRunning, type Result } from '../workbench/bench/work.ts';
import type { BenchTab, Workbench } from '../workbench/bench/workbench.ts';
import { ExportMenu } from '../workbench/export/export-menu.tsx';
import { FileParts, resultFile } from '../workbench/export/result-file.ts';
import type { CellAt } from '../workbench/grid/moved-by.ts';
import { ResultGrid } from '../workbench/grid/result-grid.tsx';
import { FailureWords, Messages } from '../workbench/results/messages.tsx';
import { MAX_ROWS_SHOWN } from '../workbench/results/result-pane.tsx';
import paneStyles from '../workbench/results/results.module.css';
import { Documents, tableOf } from './document-rows.ts';
import { DocumentTree } from './document-tree.tsx';
import { isReading } from './query-form.ts';

const VIEWS = ['documents', 'table', 'messages'] as const;
type View = (typeof VIEWS)[number];
const WHOLE = ['json'] as const;

interface DocumentsPaneProps {
  bench: Workbench;
  tab: BenchTab;
  chosen: number | undefined;
  onChoose: (index: number) => void;
  onOpen: (index: number) => void;
  /** Undefined where nothing may be added. */
  onAdd: (() => void) | undefined;
}

export function DocumentsPane({ bench, tab, chosen, onChoose, onOpen, onAdd }: DocumentsPaneProps) {
  const t = useTranslate();
  const { work, slot } = tab;
  const [wanted, setWanted] = useState<View>('documents');
  const result = work?.results[0];
  const view = result ? wanted : 'messages';
  const label = (each: View) =>
    each === 'documents'
      ? t('mongo.view-documents', { count: formatNumber(result?.count ?? 0) })
      : t(`mongo.view-${each}`);
  return (
    <section className={paneStyles.pane} aria-label={t('workbench.results')} aria-busy={isRunning(work)}>
      <div className={paneStyles.head}>
        <SegmentedControl
          size="small"
          label={t('workbench.results')}
          segments={VIEWS.map((each) => ({
            value: each,
            label: label(each),
            disabled: each !== 'messages' && !result,
          }))}
          value={view}
          onValueChange={setWanted}
        />
        <span className={paneStyles.grow} />
        {onAdd && (
          <Button size="small" tone="ghost" onClick={onAdd}>
            {t('mongo.add')}
          </Button>
        )}
        {result && (
          <ExportMenu
            bench={bench}
            slot={slot}
            result={result}
            isRepeatable={isReading(result.sql)}
            wholeFormats={WHOLE}
            fileOf={fileOf}
            isOver={!isRunning(work)}
          />
        )}
      </div>
      {work?.failure && view !== 'messages' && (
        <div className={paneStyles.failed} role="alert">
          <FailureWords failure={work.failure} />
        </div>
      )}
      {!work && <p className={paneStyles.empty}>{t('mongo.nothing-yet')}</p>}
      {work && view === 'messages' && <Messages messages={work.messages} />}
      {work && result && view !== 'messages' && (
        <Shown
          key={work.id}
          result={result}
          isTable={view === 'table'}
          chosen={chosen}
          onChoose={onChoose}
          onOpen={onOpen}
        />
      )}
      {result?.done?.more && (
        <div className={paneStyles.more}>
          <span>{t('mongo.more-there', { count: formatNumber(result.count) })}</span>
          {result.count >= MAX_ROWS_SHOWN ? (
            <Notice tone="info">{t('workbench.more-full')}</Notice>
          ) : (
            <Button size="small" disabled={isRunning(work)} onClick={() => bench.more(slot)}>
              {t('workbench.more')}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

interface ShownProps extends Pick<DocumentsPaneProps, 'chosen' | 'onChoose' | 'onOpen'> {
  result: Result;
  isTable: boolean;
}

function Shown({ result, isTable, chosen, onChoose, onOpen }: ShownProps) {
  const t = useTranslate();
  const toaster = useToast();
  const [column, setColumn] = useState(0);
  const { rows, count } = result;
  const documents = useMemo(() => new Documents(rows), [rows]);
  const table = useMemo(() => (isTable ? tableOf(documents, count) : undefined), [documents, count, isTable]);
  const onCopied = (isDone: boolean) =>
    toaster.show({ tone: isDone ? 'ok' : 'bad', title: t(isDone ? 'workbench.copied' : 'workbench.copy-failed') });
  if (count === 0) return <p className={paneStyles.empty}>{t('mongo.none-found')}</p>;
  if (!table)
    return (
      <DocumentTree
        documents={documents}
        count={count}
        chosen={chosen}
        onChoose={onChoose}
        onOpen={onOpen}
        onCopied={onCopied}
      />
    );
  const active: CellAt | undefined = chosen === undefined ? undefined : { row: chosen, column };
  return (
    <ResultGrid
      label={t('mongo.documents', { count })}
      result={{ ...result, ...table }}
      active={active}
      onActive={(cell) => {
        setColumn(cell.column);
        onChoose(cell.row);
      }}
      onOpen={(cell) => onOpen(cell.row)}
      onCopied={onCopied}
    />
  );
}

/** What is shown: a table has a column for each field, JSON is the documents as they came. */
function fileOf(result: Result, format: 'csv' | 'json'): Blob {
  if (format === 'csv') {
    const { names, rows } = tableOf(new Documents(result.rows), result.count);
    return resultFile('csv', names, rows.rows());
  }
  const parts = new FileParts('json');
  let isFirst = true;
  for (const [text] of result.rows.rows()) {
    parts.add(`${isFirst ? '[\n' : ',\n'}${text}`);
    isFirst = false;
  }
  parts.add(isFirst ? '[]\n' : '\n]\n');
  return parts.whole();
}
