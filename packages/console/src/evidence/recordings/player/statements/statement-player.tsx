/** The player of sessions with databases: their statements as a list, to look through, search, link to and take away. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { KeyHints } from '@gatehouse/design/key-hints';
import { Menu, MenuItem } from '@gatehouse/design/menu';
import { Notice } from '@gatehouse/design/notice';
import { Switch } from '@gatehouse/design/switch';
import { TextField } from '@gatehouse/design/text-field';
import { useCopy } from '@gatehouse/design/use-copy';
import Database from 'lucide-react/icons/database';
import Download from 'lucide-react/icons/download';
import Link2 from 'lucide-react/icons/link-2';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { usePreference } from '../../../../platform/browser/preferences.ts';
import { failureWords } from '../../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { playerPath, secondsText } from '../../player-path.ts';
import { PlayerHeader } from '../player-header.tsx';
import type { PlayerActions, PlayerAddress } from '../player-search-params.ts';
import type { Verification } from '../side/use-verification.ts';
import { useDownload } from '../use-download.ts';
import { filterRuns, hasFailed, isListed, type RunStatement, runAt } from './run-statements.ts';
import { StatementPanel } from './statement-panel.tsx';
import styles from './statement-player.module.css';
import { StatementStrip } from './statement-strip.tsx';
import { StatementTable } from './statement-table.tsx';
import { useStatementKeys } from './use-statement-keys.ts';
import { useStatements } from './use-statements.ts';

interface StatementPlayerProps {
  clusterId: string;
  details: RecordingDetails;
  verification: Verification;
  address: PlayerAddress;
  actions: PlayerActions;
}

export function StatementPlayer({ clusterId, details, verification, address, actions }: StatementPlayerProps) {
  const t = useTranslate();
  const root = useRef<HTMLDivElement>(null);
  const read = useStatements(clusterId, details.sid, address.startMs ?? 0);
  const { find, failedOnly, startMs } = address;
  const all = useMemo(() => read.runs.filter(isListed), [read.runs]);
  const shown = useMemo(() => filterRuns(all, { words: find, failedOnly }), [all, find, failedOnly]);
  const current = useMemo(
    () => (startMs === undefined ? undefined : statementOf(shown, startMs, address.statement)),
    [shown, startMs, address.statement],
  );
  const open = useCallback(({ asked }: RunStatement) => actions.showStatement(asked.ms, asked.n), [actions]);
  const step = useCallback(
    (by: 1 | -1, isWanted: (run: RunStatement) => boolean = () => true) => {
      const at = current ? shown.indexOf(current) : -1;
      const next = by > 0 ? shown.slice(at + 1).find(isWanted) : shown.slice(0, Math.max(0, at)).findLast(isWanted);
      if (next) open(next);
    },
    [current, shown, open],
  );
  const [shortcuts] = usePreference('shortcuts');
  useStatementKeys(shortcuts !== 'off', {
    next: () => step(1),
    previous: () => step(-1),
    'next-failed': () => step(1, hasFailed),
    'previous-failed': () => step(-1, hasFailed),
    find: () => root.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
    close: () => actions.closeStatement(),
  });
  useCurrentInSight(root, shown, current);
  const failed = all.filter(hasFailed).length;
  return (
    <div ref={root} className={styles.player} data-player="">
      <PlayerHeader
        clusterId={clusterId}
        sid={details.sid}
        details={details}
        playback={undefined}
        verification={verification}
        onPanel={undefined}
        actions={<Taking clusterId={clusterId} details={details} current={current} />}
      />
      <section className={styles.list} aria-label={t('statements.list')}>
        <div className={styles.tools}>
          <TextField
            type="search"
            label={t('statements.search')}
            labelHidden
            placeholder={t('statements.search')}
            className={styles.search}
            value={find}
            onValueChange={actions.find}
            onClear={() => actions.find('')}
          />
          <Switch
            label={t('statements.failed-only', { count: failed })}
            checked={failedOnly}
            onCheckedChange={actions.showFailed}
          />
          <span className={styles.count} role="status">
            {t('statements.count', { shown: shown.length, all: all.length })}
            {read.isLive && ` · ${t('recordings.state-live')}`}
          </span>
        </div>
        {read.error !== undefined && (
          <Notice tone="bad" actions={<Button onClick={read.readOn}>{t('common.try-again')}</Button>}>
            {failureWords(t, read.error)}
          </Notice>
        )}
        {details.state === 'truncated' && <Notice tone="warn">{t('player.truncated-text')}</Notice>}
        {details.state === 'corrupted' && <Notice tone="bad">{t('player.corrupted-note')}</Notice>}
        <StatementTable
          list={`${details.sid} ${find} ${failedOnly}`}
          runs={shown}
          words={find}
          current={current?.asked.n}
          isLoading={read.runs.length === 0 && !read.isWhole && read.error === undefined}
          onOpen={open}
          empty={
            <EmptyState icon={Database} title={t(all.length === 0 ? 'statements.none' : 'statements.no-match')}>
              {t(all.length === 0 ? 'statements.none-text' : 'statements.no-match-text')}
            </EmptyState>
          }
        />
        {read.isFull && (
          <Notice tone="info" actions={<Button onClick={read.readOn}>{t('statements.read-on')}</Button>}>
            {t('statements.more')}
          </Notice>
        )}
      </section>
      {current && <StatementPanel run={current} onStep={step} onClose={actions.closeStatement} />}
      <footer className={styles.foot}>
        <StatementStrip
          runs={shown}
          durationMs={details.durationMs}
          current={current}
          onSeek={(ms) => {
            const run = runAt(shown, ms);
            if (run) open(run);
          }}
        />
        <KeyHints
          hints={[
            { keys: ['J', 'K'], word: t('statements.key-step') },
            { keys: ['E'], word: t('statements.key-failed') },
            { keys: ['/'], word: t('statements.key-find') },
          ]}
        />
      </footer>
    </div>
  );
}

/** A link of others names a second alone: then the one that ran at it. */
function statementOf(runs: readonly RunStatement[], ms: number, n: number | undefined): RunStatement | undefined {
  return (n === undefined ? undefined : runs.find(({ asked }) => asked.n === n)) ?? runAt(runs, ms);
}

const ROW_PX = 40;

/** A row is drawn only where it is near: the list is scrolled to about its place first. */
function useCurrentInSight(
  root: RefObject<HTMLElement | null>,
  shown: readonly RunStatement[],
  current: RunStatement | undefined,
): void {
  const index = current ? shown.indexOf(current) : -1;
  useEffect(() => {
    const box = root.current?.querySelector('[role=grid]')?.parentElement;
    if (index < 0 || !box) return;
    const row = box.querySelector(`[data-index="${index}"]`);
    if (row) return row.scrollIntoView?.({ block: 'nearest' });
    const height = box.querySelector('[data-index]')?.getBoundingClientRect().height || ROW_PX;
    box.scrollTop = index * height - box.clientHeight / 2;
  }, [root, index]);
}

interface TakingProps {
  clusterId: string;
  details: RecordingDetails;
  current: RunStatement | undefined;
}

function Taking({ clusterId, details, current }: TakingProps) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  const { isLoading, isTooLarge, download } = useDownload(clusterId, details);
  const link = () => {
    const more: Record<string, string> = current
      ? { t: secondsText(current.asked.ms), n: String(current.asked.n) }
      : {};
    void copy(new URL(playerPath(clusterId, details, more), window.location.href).href);
  };
  return (
    <>
      <Button icon={Link2} onClick={link}>
        {t(state === 'copied' ? 'player.link-copied' : 'statements.copy-link')}
      </Button>
      <Menu
        trigger={
          <Button
            icon={Download}
            loading={isLoading}
            loadingWord={t('player.downloading')}
            disabled={isTooLarge}
            disabledReason={t('player.download-large', { sid: details.sid })}
          >
            {t('statements.export')}
          </Button>
        }
      >
        <MenuItem onSelect={() => void download('sql')}>{t('statements.export-sql')}</MenuItem>
        <MenuItem onSelect={() => void download('jsonl')}>{t('statements.export-jsonl')}</MenuItem>
      </Menu>
    </>
  );
}
