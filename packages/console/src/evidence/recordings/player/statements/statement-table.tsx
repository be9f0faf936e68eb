/** The statements of a session, one below the other: when, what, how long, and what came of it. */
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import type { Column } from '@gatehouse/design/table-head';
import { type RowSource, VirtualTable } from '@gatehouse/design/virtual-table';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronRight from 'lucide-react/icons/chevron-right';
import CircleX from 'lucide-react/icons/circle-x';
import { type ReactNode, useMemo } from 'react';
import { type Translate, useTranslate } from '../../../../platform/i18n/words.ts';
import { Marked } from '../../marked.tsx';
import { clockText } from '../../recording-facts.ts';
import { FlagBadges } from './flag-badges.tsx';
import { hasFailed, lineOf, marksIn, type RunStatement, tookText } from './run-statements.ts';
import type { Flag } from './statement-flags.ts';
import { rowsOf, type StatementLine, tookOf } from './statement-lines.ts';
import styles from './statement-player.module.css';

interface StatementTableProps {
  /** Another name is another list. */
  list: string;
  lines: readonly StatementLine[];
  words: string;
  /** The key of the line. */
  current: string | undefined;
  isLoading: boolean;
  flagsOf: (run: RunStatement) => readonly Flag[];
  onOpen: (line: StatementLine) => void;
  /** Opens and closes a line of many runs. */
  onUnfold?: (line: StatementLine) => void;
  empty: ReactNode;
}

const rowKey = ({ key }: StatementLine) => key;
const ignore = () => {};

export function StatementTable(props: StatementTableProps) {
  const { list, lines, words, current, isLoading, flagsOf, onOpen, onUnfold = ignore, empty } = props;
  const t = useTranslate();
  const columns = useMemo(() => columnsOf(t, { words, flagsOf, onUnfold }), [t, words, flagsOf, onUnfold]);
  const source = useMemo<RowSource<StatementLine>>(() => {
    const places = new Map(lines.map((line, index) => [line.key, index]));
    return { list, count: lines.length, rowAt: (index) => lines[index], indexOf: (key) => places.get(key) };
  }, [list, lines]);
  return (
    <VirtualTable
      label={t('statements.list')}
      columns={columns}
      source={source}
      rowKey={rowKey}
      onRange={ignore}
      onOpenRow={onOpen}
      isCurrent={({ key }) => key === current}
      loading={isLoading}
      className={styles.table}
      empty={empty}
    />
  );
}

interface CellOptions {
  words: string;
  flagsOf: (run: RunStatement) => readonly Flag[];
  onUnfold: (line: StatementLine) => void;
}

function columnsOf(t: Translate, { words, flagsOf, onUnfold }: CellOptions): Column<StatementLine>[] {
  return [
    {
      id: 'time',
      title: t('statements.time'),
      width: '84px',
      card: 'title',
      cell: ({ run }) => <time className={styles.time}>{clockText(run.asked.ms)}</time>,
    },
    {
      id: 'statement',
      title: t('statements.statement'),
      card: 'wide',
      mono: true,
      cell: (line) => {
        const text = lineOf(line.run);
        return (
          <span className={classNames(styles.said, line.isBelow && styles.below)}>
            <span className={styles.line} title={text}>
              <Marked line={text} marks={marksIn(text, words)} />
            </span>
            <FlagBadges flags={flagsOf(line.run)} hasFailed={hasFailed(line.run)} />
            {line.isOpen !== undefined && (
              <button
                type="button"
                className={styles.runs}
                aria-expanded={line.isOpen}
                title={t('statements.runs-hint')}
                onClick={() => onUnfold(line)}
              >
                {t('statements.runs', { count: line.runs.length })}
                <Icon of={line.isOpen ? ChevronDown : ChevronRight} size={12} />
              </button>
            )}
          </span>
        );
      },
    },
    {
      id: 'took',
      title: t('statements.took'),
      width: '156px',
      card: 'start',
      cell: (line) => line.run.answered && <Took ms={tookOf(line)} isBad={hasFailed(line.run)} />,
    },
    {
      id: 'result',
      title: t('statements.result'),
      width: '160px',
      card: 'end',
      cell: (line) => <CameOf line={line} />,
    },
  ];
}

/** Half a minute fills it; by the logarithm, so that the short ones are told apart as well. */
const FULL_MS = 30_000;

function Took({ ms, isBad }: { ms: number; isBad: boolean }) {
  const share = Math.min(1, Math.log10(1 + ms) / Math.log10(1 + FULL_MS));
  return (
    <span className={styles.took}>
      <span className={styles.tookBar} aria-hidden="true">
        <i
          className={isBad ? styles.tookBad : undefined}
          style={{ width: `${Math.max(3, share * 100).toFixed(0)}%` }}
        />
      </span>
      {tookText(ms)}
    </span>
  );
}

function CameOf({ line }: { line: StatementLine }) {
  const t = useTranslate();
  const { answered } = line.run;
  if (!answered) return <span className={styles.faint}>{t('statements.no-answer')}</span>;
  if (hasFailed(line.run))
    return (
      <span className={styles.failed} title={answered.error}>
        <Icon of={CircleX} size={14} label={t('statements.failed')} />
        <bdi>{answered.error}</bdi>
      </span>
    );
  const rows = rowsOf(line);
  if (rows === 0) return <span className={styles.faint}>{t('statements.done')}</span>;
  return <span className={styles.muted}>{t('statements.rows', { count: rows })}</span>;
}
