/** Under the editor: the results of what ran last, what was said, a plan, and what can be done with them. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { useToast } from '@gatehouse/design/toast';
import { useState } from 'react';
import { formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { AskBar, isHeldBack } from '../approval/ask-bar.tsx';
import { isRunning, type Result, type Work } from '../bench/work.ts';
import type { BenchTab, Workbench } from '../bench/workbench.ts';
import type { Dialect } from '../dialects.ts';
import { EditBar } from '../edits/edit-bar.tsx';
import type { StagedEdits } from '../edits/use-staged.ts';
import { ExportMenu } from '../export/export-menu.tsx';
import { readsOnly } from '../export/reads-only.ts';
import type { CellAt } from '../grid/moved-by.ts';
import { ResultGrid } from '../grid/result-grid.tsx';
import { PlanTree } from '../plan/plan-tree.tsx';
import { DryRunBar } from './dry-run-bar.tsx';
import { FailureWords, Messages } from './messages.tsx';
import styles from './results.module.css';

/** Beyond this a page is no place for rows: a file is. */
export const MAX_ROWS_SHOWN = 500_000;

interface ResultPaneProps {
  bench: Workbench;
  tab: BenchTab;
  dialect: Dialect;
  edits: StagedEdits;
  active: CellAt | undefined;
  /** Which of the results is looked at. */
  onActive: (result: Result, cell: CellAt | undefined) => void;
  onOpen: (result: Result, cell: CellAt) => void;
  /** Where what is refused can be asked for. */
  onAsk?: ((sql: string) => void) | undefined;
}

export function ResultPane({ bench, tab, dialect, edits, active, onActive, onOpen, onAsk }: ResultPaneProps) {
  const t = useTranslate();
  const toaster = useToast();
  const { work, slot } = tab;
  const [chosen, setChosen] = useState<{ id: number; value: string }>();
  if (!work) return <p className={styles.empty}>{t('workbench.nothing-yet')}</p>;
  const value = chosen?.id === work.id ? chosen.value : standard(work);
  const shown = work.results.find(({ statement }) => value === `r${statement}`);
  const isMany = work.results.length > 1;
  const parts = [
    ...(work.plan ? [{ value: 'plan', label: t('workbench.plan') }] : []),
    ...work.results.map((result) => ({
      value: `r${result.statement}`,
      label: isMany
        ? t('workbench.result-of', { number: result.statement + 1, count: formatNumber(result.count) })
        : t('workbench.result', { count: formatNumber(result.count) }),
    })),
    { value: 'messages', label: t('workbench.messages') },
  ];
  const choose = (next: string) => {
    setChosen({ id: work.id, value: next });
    const result = work.results.find(({ statement }) => next === `r${statement}`);
    if (result) onActive(result, undefined);
  };
  const staged = shown && edits.of(shown);
  return (
    <section className={styles.pane} aria-label={t('workbench.results')} aria-busy={isRunning(work)}>
      <div className={styles.head}>
        <SegmentedControl
          size="small"
          label={t('workbench.results')}
          segments={parts}
          value={value}
          onValueChange={choose}
        />
        <span className={styles.grow} />
        {shown && (
          <ExportMenu
            bench={bench}
            slot={slot}
            result={shown}
            isRepeatable={readsOnly(shown.sql, dialect.quoting)}
            isOver={!isRunning(work)}
          />
        )}
      </div>
      {work.failure && value !== 'messages' && (
        <div className={styles.failed} role="alert">
          <FailureWords failure={work.failure} />
        </div>
      )}
      {value === 'messages' && <Messages messages={work.messages} />}
      {value === 'plan' && work.plan && <PlanTree plan={work.plan} isMeasured={work.isMeasured} />}
      {shown && (
        <>
          <ResultGrid
            // Another result begins at its top.
            key={`${work.id} ${shown.statement}`}
            label={t('workbench.rows-of', { count: shown.count })}
            result={shown}
            active={active}
            onActive={(cell) => onActive(shown, cell)}
            onOpen={(cell) => onOpen(shown, cell)}
            onCopied={(isDone) =>
              toaster.show({
                tone: isDone ? 'ok' : 'bad',
                title: t(isDone ? 'workbench.copied' : 'workbench.copy-failed'),
              })
            }
            stagedAt={(row) => staged?.rows[row]}
            added={Array.from({ length: staged?.added ?? 0 }, () => NO_CELLS)}
          />
          <MoreRows result={shown} isRunning={isRunning(work)} onMore={() => bench.more(slot)} />
          <EditBar edits={edits} work={work} result={shown} dialect={dialect} active={active} slot={slot} />
        </>
      )}
      {isHeldBack(work) && onAsk && <AskBar onAsk={() => onAsk(work.sql)} />}
      <DryRunBar work={work} onSettle={(commit) => bench.settle(slot, commit)} />
    </section>
  );
}

const NO_CELLS: readonly string[] = [];

function standard(work: Work): string {
  if (work.plan) return 'plan';
  const last = work.results.at(-1);
  return last && !work.failure ? `r${last.statement}` : 'messages';
}

interface MoreRowsProps {
  result: Result;
  isRunning: boolean;
  onMore: () => void;
}

/** The result stopped where the record says, and goes on when asked. */
function MoreRows({ result: { count, done }, isRunning: isBusy, onMore }: MoreRowsProps) {
  const t = useTranslate();
  if (!done?.more) return null;
  const isFull = count >= MAX_ROWS_SHOWN;
  return (
    <div className={styles.more}>
      <span>{t('workbench.more-there', { count: formatNumber(count) })}</span>
      {isFull ? (
        <Notice tone="info">{t('workbench.more-full')}</Notice>
      ) : (
        <Button size="small" disabled={isBusy} onClick={onMore}>
          {t('workbench.more')}
        </Button>
      )}
    </div>
  );
}
