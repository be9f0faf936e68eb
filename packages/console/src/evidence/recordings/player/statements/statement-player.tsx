/** The player of sessions with databases: their statements in time and as a list, to look through, search, link to and take away. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import Database from 'lucide-react/icons/database';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { usePreference } from '../../../../platform/browser/preferences.ts';
import { useShellActions } from '../../../../platform/browser/shell-actions.tsx';
import { useStore } from '../../../../platform/browser/store.ts';
import { failureWords } from '../../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { SPEEDS } from '../../engine/playback.ts';
import { PlayerHeader } from '../player-header.tsx';
import type { PlayerActions, PlayerAddress } from '../player-search-params.ts';
import type { Verification } from '../side/use-verification.ts';
import { filterRuns, hasFailed, hasWords, isListed, type RunStatement, runAt } from './run-statements.ts';
import { StatementControls } from './statement-controls.tsx';
import { StatementEvent } from './statement-event.tsx';
import { linesOf, lineWith, type StatementLine } from './statement-lines.ts';
import { StatementPanel } from './statement-panel.tsx';
import styles from './statement-player.module.css';
import { StatementTable } from './statement-table.tsx';
import { StatementTimeline } from './statement-timeline.tsx';
import { StatementTools } from './statement-tools.tsx';
import { Taking } from './taking.tsx';
import { useFlags } from './use-flags.ts';
import { type StatementKey, useStatementKeys } from './use-statement-keys.ts';
import { useOnStop, useRunAtPosition, useStatementPlayback } from './use-statement-playback.ts';
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
  const { mayOpen } = useShellActions();
  const root = useRef<HTMLDivElement>(null);
  const { find, failedOnly, slowerThan, startMs, statement } = address;
  const read = useStatements(clusterId, details.sid, { ms: startMs ?? 0, n: statement ?? 0 });
  const playback = useStatementPlayback(details, read, startMs);
  const { isPlaying } = useStore(playback.view);
  const all = useMemo(() => read.runs.filter(isListed), [read.runs]);
  const shown = useMemo(() => filterRuns(all, { failedOnly, slowerThan }), [all, failedOnly, slowerThan]);
  const { lines, unfold } = useLines(shown);
  const hits = useMemo(() => lines.filter(({ runs }) => runs.some((run) => hasWords(run, find))), [lines, find]);
  const flags = useFlags(details.protocol ?? '', shown);
  const chosen = useMemo(() => statementOf(shown, startMs, statement), [shown, startMs, statement]);
  const played = useRunAtPosition(playback, shown);
  const current = isPlaying ? played : chosen;
  const at = useMemo(() => lineWith(lines, current), [lines, current]);
  const seek = useSeeking(playback, shown, chosen, actions);
  const open = useCallback(
    ({ asked }: RunStatement) => {
      seek.isChosen.current = true;
      playback.pause();
      seek.isChosen.current = false;
      actions.showStatement(asked.ms, asked.n);
    },
    [seek, playback, actions],
  );
  const step = (by: 1 | -1, isWanted: (line: StatementLine) => boolean = () => true) => {
    const next = by > 0 ? lines.slice(at + 1).find(isWanted) : lines.slice(0, Math.max(0, at)).findLast(isWanted);
    if (next) open(next.run);
  };
  const stepHit = (by: 1 | -1) => step(by, (line) => hits.includes(line));
  const speedAt = SPEEDS.indexOf(playback.view.get().speed);
  const acts: Record<StatementKey, () => void> = {
    toggle: playback.toggle,
    next: () => step(1),
    previous: () => step(-1),
    'next-failed': () => step(1, ({ run }) => hasFailed(run)),
    'previous-failed': () => step(-1, ({ run }) => hasFailed(run)),
    'next-hit': () => stepHit(1),
    'previous-hit': () => stepHit(-1),
    slower: () => playback.setSpeed(SPEEDS[Math.max(0, speedAt - 1)] ?? 1),
    faster: () => playback.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, speedAt + 1)] ?? 1),
    idle: () => playback.setSkipsIdle(!playback.view.get().skipsIdle),
    find: () => root.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus(),
    close: () => {
      playback.pause();
      actions.closeStatement();
    },
  };
  const [shortcuts] = usePreference('shortcuts');
  useStatementKeys(shortcuts !== 'off', acts);
  useLineInSight(root, at);
  const line = lines[at];
  return (
    <div ref={root} className={styles.player} data-player="" data-playing={isPlaying || undefined}>
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
        <StatementTools
          address={address}
          actions={actions}
          all={all}
          shown={shown}
          lines={lines.filter(({ isBelow }) => !isBelow).length}
          hits={{ count: hits.length, at: line ? hits.indexOf(line) + 1 : 0 }}
          isLive={read.isLive}
          onNextHit={stepHit}
        />
        {read.error !== undefined && (
          <Notice tone="bad" actions={<Button onClick={read.readOn}>{t('common.try-again')}</Button>}>
            {failureWords(t, read.error)}
          </Notice>
        )}
        {details.state === 'truncated' && <Notice tone="warn">{t('player.truncated-text')}</Notice>}
        {details.state === 'corrupted' && <Notice tone="bad">{t('player.corrupted-note')}</Notice>}
        <StatementTable
          list={`${details.sid} ${slowerThan} ${failedOnly}`}
          lines={lines}
          words={find}
          current={line?.key}
          isLoading={read.runs.length === 0 && !read.isWhole && read.error === undefined}
          flagsOf={flags.of}
          onOpen={({ run }) => open(run)}
          onUnfold={unfold}
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
      {current && (
        <StatementPanel
          run={current}
          protocol={details.protocol}
          flags={flags.of(current)}
          event={
            // While it plays, each is there for a moment: nothing is asked for about it.
            !isPlaying && mayOpen('audit') && <StatementEvent clusterId={clusterId} details={details} run={current} />
          }
          onStep={step}
          onClose={acts.close}
        />
      )}
      <footer className={styles.foot}>
        <StatementTimeline
          playback={playback}
          details={details}
          runs={shown}
          hits={hits.map(({ run }) => run)}
          flagged={flags.flagged}
          onSeek={seek.to}
        />
        <StatementControls
          playback={playback}
          runs={shown}
          durationMs={details.durationMs}
          onKey={(key) => acts[key]()}
        />
      </footer>
    </div>
  );
}

/** A link of others names a second alone: then the one that ran at it. One of an event names the statement alone. */
function statementOf(
  runs: readonly RunStatement[],
  ms: number | undefined,
  n: number | undefined,
): RunStatement | undefined {
  const named = n === undefined ? undefined : runs.find(({ asked }) => asked.n === n);
  return named ?? (ms === undefined ? undefined : runAt(runs, ms));
}

function useLines(shown: readonly RunStatement[]) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const lines = useMemo(() => linesOf(shown, opened), [shown, opened]);
  const unfold = useCallback(
    ({ run, isOpen }: StatementLine) =>
      setOpened((before) => {
        const next = new Set(before);
        if (isOpen) next.delete(run.asked.n);
        else next.add(run.asked.n);
        return next;
      }),
    [],
  );
  return { lines, unfold };
}

const KEEP_MS = 150;

/** Keeps the player and the address at one place: it leads while it plays, and is led while it does not. */
function useSeeking(
  playback: ReturnType<typeof useStatementPlayback>,
  runs: readonly RunStatement[],
  chosen: RunStatement | undefined,
  actions: PlayerActions,
) {
  const isChosen = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(runs);
  useEffect(() => {
    latest.current = runs;
  });
  const keep = useCallback(() => {
    const run = runAt(latest.current, playback.position.get());
    if (run) actions.showStatement(run.asked.ms, run.asked.n);
  }, [playback, actions]);
  useOnStop(playback, () => {
    if (!isChosen.current) keep();
  });
  const chosenMs = chosen?.asked.ms;
  useEffect(() => {
    if (chosenMs === undefined || playback.view.get().isPlaying) return;
    if (runAt(latest.current, playback.position.get())?.asked.ms !== chosenMs) playback.seek(chosenMs);
  }, [playback, chosenMs]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const to = useCallback(
    (ms: number) => {
      playback.seek(ms);
      clearTimeout(timer.current);
      if (!playback.view.get().isPlaying) timer.current = setTimeout(keep, KEEP_MS);
    },
    [playback, keep],
  );
  return useMemo(() => ({ to, isChosen }), [to]);
}

const ROW_PX = 40;

/** A row is drawn only where it is near: the list is scrolled to about its place first. */
function useLineInSight(root: RefObject<HTMLElement | null>, index: number): void {
  useEffect(() => {
    const box = root.current?.querySelector('[role=grid]')?.parentElement;
    if (index < 0 || !box) return;
    const row = box.querySelector(`[data-index="${index}"]`);
    if (row) return row.scrollIntoView?.({ block: 'nearest' });
    const height = box.querySelector('[data-index]')?.getBoundingClientRect().height || ROW_PX;
    box.scrollTop = index * height - box.clientHeight / 2;
  }, [root, index]);
}
