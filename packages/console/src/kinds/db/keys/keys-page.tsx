/** Redis: its keys, what is in them, and a console. */
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Notice } from '@gatehouse/design/notice';
import { useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Choices } from '../connect/db-choices.ts';
import { useBench } from '../workbench/bench/use-bench.ts';
import { type BenchAbout, QuestionFailed } from '../workbench/bench/workbench.ts';
import { BenchBanner } from '../workbench/session/bench-banner.tsx';
import { BenchFactor } from '../workbench/session/bench-factor.tsx';
import { StatusLine } from '../workbench/session/status-line.tsx';
import { AddDialog, type WantedEntry } from './add-dialog.tsx';
import { ChangeDialog, type WantedChange } from './change-dialog.tsx';
import { ConsolePane } from './console-pane.tsx';
import { KeyBrowser } from './key-list.tsx';
import { KeyPanel, type SeenKey } from './key-panel.tsx';
import styles from './keys.module.css';
import { useCommands } from './use-commands.ts';
import { type FoundKey, useKeyList } from './use-key-list.ts';

/** It stops the server for everybody while it walks through all keys. */
const STOPS_ALL = /^\s*keys\s/i;

/** As many as a server has unless it is told otherwise. */
const USUAL_DATABASES = 16;

interface KeysPageProps {
  about: BenchAbout;
  /** The numbers that roles name, and whether others may be gone to as well. */
  numbers: Choices;
}

export function KeysPage({ about, numbers }: KeysPageProps) {
  const t = useTranslate();
  const open = useBench(about);
  const { bench, view, session, isReady } = open;
  const [match, setMatch] = useState('');
  const [kind, setKind] = useState('');
  const { said, database, isRunning, send, cancel, clear } = useCommands(bench);
  const place = session && `${session} ${database}`;
  const { list, scan, stop } = useKeyList(bench, place, { match, kind });
  const [looked, setLooked] = useState<{ place: string | undefined; key: SeenKey }>();
  const [failure, setFailure] = useState<string>();
  const [change, setChange] = useState<WantedChange>();
  const [entry, setEntry] = useState<WantedEntry>();
  const [risky, setRisky] = useState<string>();
  const seen = looked?.place === place ? looked?.key : undefined;
  const mayWrite = isReady && view.ready?.readOnly === false;

  const look = async (name: FoundKey['name'], from = '0') => {
    try {
      const reply = await bench.ask({ type: 'key', name, cursor: from }, 'key');
      setFailure(undefined);
      setLooked((before) => {
        const isMore = before && from !== '0' && before.place === place && isSame(before.key.name, name);
        const known = isMore ? before.key.entries : [];
        return { place, key: { ...reply, entries: withoutTwins([...known, ...reply.entries]) } };
      });
    } catch (error) {
      if (!(error instanceof QuestionFailed)) throw error;
      setFailure(error.message);
    }
  };

  return (
    <div className={styles.page}>
      <BenchBanner view={view} name={about.database} onAgain={bench.again} />
      <div className={styles.middle}>
        <aside className={styles.side} aria-label={t('redis.keys')}>
          <KeyBrowser
            list={list}
            database={database}
            databases={databasesOf(numbers, database)}
            match={match}
            kind={kind}
            chosen={seen && JSON.stringify(seen.name)}
            onMatch={setMatch}
            onKind={setKind}
            onDatabase={(name) => send(`SELECT ${name}`)}
            onAdd={mayWrite ? () => setEntry({ kind: 'string' }) : undefined}
            onScan={() => void scan()}
            onStop={stop}
            onChoose={({ name }) => void look(name)}
          />
        </aside>
        <div className={styles.main}>
          <section className={styles.panel} aria-label={t('redis.key')}>
            {failure !== undefined && (
              <Notice tone="bad">{failure === '' ? t('workbench.cut-off') : asSentence(failure)}</Notice>
            )}
            {seen ? (
              <KeyPanel
                seen={seen}
                mayWrite={mayWrite}
                onAdd={setEntry}
                onMore={() => void look(seen.name, seen.cursor)}
                onAgain={() => void look(seen.name)}
                onChange={setChange}
              />
            ) : (
              <p className={styles.none}>{t('redis.choose')}</p>
            )}
          </section>
          <ConsolePane
            name={about.database}
            database={database}
            said={said}
            isReady={isReady}
            isRunning={isRunning}
            onSend={(line) => (STOPS_ALL.test(line) ? setRisky(line) : send(line))}
            onCancel={cancel}
            onClear={clear}
          />
        </div>
      </div>
      <StatusLine view={view} tab={open.tab} readOnlyHint="redis.read-only-hint" dbName={database} />
      {change && (
        <ChangeDialog
          change={change}
          onClose={() => setChange(undefined)}
          onSend={(line) =>
            send(line, () => {
              void look(change.name);
              if (change.is === 'delete' || change.is === 'rename') void scan();
            })
          }
        />
      )}
      {entry && (
        <AddDialog
          entry={entry}
          onClose={() => setEntry(undefined)}
          onSend={(line, name) =>
            send(line, () => {
              void look(name);
              if (entry.name === undefined) void scan();
            })
          }
        />
      )}
      {risky !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={() => setRisky(undefined)}
          title={t('redis.risk-title')}
          confirmWord={t('redis.risk-send')}
          cancelWord={t('redis.keep')}
          onConfirm={() => {
            setRisky(undefined);
            send(risky);
          }}
        >
          {t('redis.risk-text')}
        </ConfirmDialog>
      )}
      <BenchFactor open={open} />
    </div>
  );
}

function isSame(one: SeenKey['name'], other: SeenKey['name']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A scan may give the same one twice. */
function withoutTwins(entries: SeenKey['entries']): SeenKey['entries'] {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry[0]), entry])).values()];
}

/** Those that are named; where any may be gone to, as many as there usually are. The one that is open is among them. */
function databasesOf({ named, isAny }: Choices, current: string): string[] {
  const usual = isAny ? Array.from({ length: USUAL_DATABASES }, (_, index) => String(index)) : [];
  return [...new Set([...usual, ...named, current])].sort((a, b) => Number(a) - Number(b));
}
