/** One statement beside the list: all of its text, its values, what came of it, and what was kept of its result. */
import type { Quoting } from '@gatehouse/contract/kinds/db/sql-tokens';
import { CodeBlock } from '@gatehouse/design/code-block';
import { DetailsList } from '@gatehouse/design/details-list';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { formatBytes } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { SqlText } from '../../../../shared/sql-text/sql-text.tsx';
import { clockText } from '../../recording-facts.ts';
import { FlagBadges } from './flag-badges.tsx';
import { hasFailed, type RunStatement, tookText } from './run-statements.ts';
import type { Flag } from './statement-flags.ts';
import styles from './statement-player.module.css';

interface StatementPanelProps {
  run: RunStatement;
  /** Of the database: what is SQL is shown in colours. */
  protocol?: string | undefined;
  flags?: readonly Flag[];
  /** Leads to what the log tells of it. */
  event?: ReactNode;
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
}

/** Of what is SQL. */
const QUOTING: Readonly<Record<string, Quoting>> = {
  postgres: { backslashes: false, isMysql: false },
  mysql: { backslashes: true, isMysql: true },
  sqlserver: { backslashes: false, isMysql: false, isTsql: true },
};

/** A longer value of a sample, as a document, is broken into lines. */
const LINE_CHARACTERS = 80;
/** More of a text than anybody reads makes a page slow; the file has all that was kept. */
const SHOWN_CHARACTERS = 50_000;

export function StatementPanel({ run, protocol, flags = [], event, onStep, onClose }: StatementPanelProps) {
  const t = useTranslate();
  const { asked, answered, sample } = run;
  const title = t('statements.at', { time: clockText(asked.ms) });
  const isLong = asked.text.length > SHOWN_CHARACTERS;
  const code = isLong ? asked.text.slice(0, SHOWN_CHARACTERS) : asked.text;
  const quoting = protocol === undefined ? undefined : QUOTING[protocol];
  return (
    <aside className={styles.panel} aria-label={title}>
      <div className={styles.panelHead}>
        <h2>{title}</h2>
        <IconButton icon={ArrowUp} size="small" label={t('statements.previous')} onClick={() => onStep(-1)} />
        <IconButton icon={ArrowDown} size="small" label={t('statements.next')} onClick={() => onStep(1)} />
        <IconButton icon={X} size="small" label={t('statements.close')} onClick={onClose} />
      </div>
      <div className={styles.panelBody}>
        <CodeBlock label={t('statements.statement')} code={code} wrap>
          {quoting ? <SqlText sql={code} quoting={quoting} /> : code}
        </CodeBlock>
        {flags.length > 0 && (
          <p className={styles.flags}>
            <FlagBadges flags={flags} hasFailed={hasFailed(run)} />
          </p>
        )}
        {(isLong || asked.length !== undefined) && (
          <p className={styles.faint}>
            {t('statements.cut', { size: formatBytes(asked.length ?? asked.text.length) })}
          </p>
        )}
        {asked.cut && <p className={styles.faint}>{t('statements.beginning')}</p>}
        {answered && hasFailed(run) && (
          <Notice tone="bad" title={t('statements.failed')}>
            <bdi>{answered.code ? `${answered.error} (${answered.code})` : answered.error}</bdi>
          </Notice>
        )}
        <DetailsList
          details={[...factsOf(t, run), ...(event ? [{ name: t('statements.event'), value: event }] : [])]}
        />
        {sample && <SampleTable sample={sample} />}
      </div>
    </aside>
  );
}

function factsOf(t: ReturnType<typeof useTranslate>, { asked, answered }: RunStatement) {
  const values = asked.values?.map((value, index) => `$${index + 1} = ${value}`).join('\n');
  return [
    ...(values
      ? [{ name: t('statements.values'), value: <bdi className={styles.values}>{values}</bdi>, mono: true }]
      : []),
    ...(answered
      ? [
          { name: t('statements.took'), value: tookText(answered.took) },
          {
            name: t('statements.answer'),
            value: t('statements.answer-of', { rows: answered.rows, size: formatBytes(answered.bytes) }),
          },
        ]
      : [{ name: t('statements.answer'), value: t('statements.no-answer') }]),
    ...(answered?.tag ? [{ name: t('statements.tag'), value: <bdi>{answered.tag}</bdi>, mono: true }] : []),
    ...(asked.backend === undefined
      ? []
      : [{ name: t('statements.backend'), value: String(asked.backend), mono: true }]),
    ...(asked.sha256 === undefined ? [] : [{ name: 'SHA-256', value: asked.sha256, mono: true }]),
  ];
}

function SampleTable({ sample }: { sample: NonNullable<RunStatement['sample']> }) {
  const t = useTranslate();
  return (
    <section aria-label={t('statements.sample')}>
      <h3 className={styles.sampleTitle}>
        {t(sample.cut ? 'statements.sample-cut' : 'statements.sample-whole', { count: sample.rows.length })}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider must be scrollable by keyboard */}
      <div className={styles.sample} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {sample.columns.map((name, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
                <th key={index} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sample.rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing else that tells them apart
              <tr key={index}>
                {row.map((cell, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <td key={place} className={cell && cell.length > LINE_CHARACTERS ? styles.longCell : undefined}>
                    {cell === null ? <span className={styles.faint}>NULL</span> : <bdi>{cell}</bdi>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
