/** The statements of a session, one below the other: when, what, how long, and what came of it. */
import { Icon } from '@gatehouse/design/icon';
import type { Column } from '@gatehouse/design/table-head';
import { type RowSource, VirtualTable } from '@gatehouse/design/virtual-table';
import CircleX from 'lucide-react/icons/circle-x';
import { type ReactNode, useMemo } from 'react';
import { type Translate, useTranslate } from '../../../../platform/i18n/words.ts';
import { Marked } from '../../marked.tsx';
import { clockText } from '../../recording-facts.ts';
import { hasFailed, lineOf, marksIn, type RunStatement, tookText } from './run-statements.ts';
import styles from './statement-player.module.css';

interface StatementTableProps {
  /** Another name is another list. */
  list: string;
  runs: readonly RunStatement[];
  words: string;
  current: number | undefined;
  isLoading: boolean;
  onOpen: (run: RunStatement) => void;
  empty: ReactNode;
}

const rowKey = ({ asked }: RunStatement) => String(asked.n);
const ignore = () => {};

export function StatementTable({ list, runs, words, current, isLoading, onOpen, empty }: StatementTableProps) {
  const t = useTranslate();
  const columns = useMemo(() => columnsOf(t, words), [t, words]);
  const source = useMemo<RowSource<RunStatement>>(() => {
    const places = new Map(runs.map((run, index) => [rowKey(run), index]));
    return { list, count: runs.length, rowAt: (index) => runs[index], indexOf: (key) => places.get(key) };
  }, [list, runs]);
  return (
    <VirtualTable
      label={t('statements.list')}
      columns={columns}
      source={source}
      rowKey={rowKey}
      onRange={ignore}
      onOpenRow={onOpen}
      isCurrent={({ asked }) => asked.n === current}
      loading={isLoading}
      className={styles.table}
      empty={empty}
    />
  );
}

function columnsOf(t: Translate, words: string): Column<RunStatement>[] {
  return [
    {
      id: 'time',
      title: t('statements.time'),
      width: '84px',
      card: 'title',
      cell: ({ asked }) => <time className={styles.time}>{clockText(asked.ms)}</time>,
    },
    {
      id: 'statement',
      title: t('statements.statement'),
      card: 'wide',
      mono: true,
      cell: (run) => {
        const line = lineOf(run);
        return (
          <span className={styles.line} title={line}>
            <Marked line={line} marks={marksIn(line, words)} />
          </span>
        );
      },
    },
    {
      id: 'took',
      title: t('statements.took'),
      width: '92px',
      align: 'end',
      card: 'start',
      cell: ({ answered }) => (answered ? tookText(answered.took) : ''),
    },
    {
      id: 'result',
      title: t('statements.result'),
      width: '220px',
      card: 'end',
      cell: (run) => <CameOf run={run} />,
    },
  ];
}

export function CameOf({ run }: { run: RunStatement }) {
  const t = useTranslate();
  const { answered } = run;
  if (!answered) return <span className={styles.faint}>{t('statements.no-answer')}</span>;
  if (hasFailed(run))
    return (
      <span className={styles.failed} title={answered.error}>
        <Icon of={CircleX} size={14} label={t('statements.failed')} />
        <bdi>{answered.error}</bdi>
      </span>
    );
  if (answered.rows === 0) return <span className={styles.faint}>{t('statements.done')}</span>;
  return <span className={styles.muted}>{t('statements.rows', { count: answered.rows })}</span>;
}
