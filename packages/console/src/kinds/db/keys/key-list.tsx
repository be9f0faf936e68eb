/** Keys by pattern and type, in folders by what stands before their colons: few of many are on the page. */
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useRowWindow } from '@gatehouse/design/use-row-window';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronRight from 'lucide-react/icons/chevron-right';
import Folder from 'lucide-react/icons/folder';
import FolderOpen from 'lucide-react/icons/folder-open';
import Plus from 'lucide-react/icons/plus';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { asSentence, formatDuration, formatNumber } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { KEY_KINDS } from './key-kinds.ts';
import { type KeyLine, keyLines } from './key-lines.ts';
import styles from './keys.module.css';
import type { FoundKey, KeyList } from './use-key-list.ts';

interface KeyListProps {
  list: KeyList;
  /** The number of the database, and those that may be gone to. */
  database: string;
  databases: readonly string[];
  match: string;
  kind: string;
  chosen: string | undefined;
  onMatch: (match: string) => void;
  onKind: (kind: string) => void;
  onDatabase: (name: string) => void;
  /** Absent where nothing may be written. */
  onAdd: (() => void) | undefined;
  onScan: () => void;
  onStop: () => void;
  onChoose: (key: FoundKey) => void;
}

export function KeyBrowser({
  list,
  database,
  databases,
  match,
  kind,
  chosen,
  onMatch,
  onKind,
  onDatabase,
  onAdd,
  onScan,
  onStop,
  onChoose,
}: KeyListProps) {
  const t = useTranslate();
  const { keys, total, isScanning, isCut, failure } = list;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  /** Where keys have led to: the server may still be asked what is there. */
  const [current, setCurrent] = useState<string>();
  const lines = useMemo(() => keyLines(keys, open), [keys, open]);
  const { first, last, rowHeight, reveal } = useRowWindow(box, body, lines.length);
  const at = lines.findIndex((line) => idOf(line) === (current ?? `key ${chosen}`));
  const toggle = (path: string) =>
    setOpen((before) =>
      before.has(path) ? new Set([...before].filter((each) => each !== path)) : new Set([...before, path]),
    );
  const take = (line: KeyLine) => {
    setCurrent(idOf(line));
    if (line.is === 'key') onChoose(line.key);
  };
  const move = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = lines[at];
    const isFolder = here?.is === 'folder';
    const isTurned =
      isFolder &&
      (event.key === 'Enter' || event.key === ' ' || event.key === (here.isOpen ? 'ArrowLeft' : 'ArrowRight'));
    if (isTurned) toggle(here.path);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: Math.max(0, at - 1),
      k: Math.max(0, at - 1),
      Home: 0,
      End: lines.length - 1,
      ...(isTurned ? {} : { ArrowLeft: lines.slice(0, at).findLastIndex(({ depth }) => depth < (here?.depth ?? 0)) }),
      ...(isFolder && here.isOpen ? { ArrowRight: at + 1 } : {}),
    };
    const to = isTurned ? at : Math.min(steps[event.key] ?? -1, lines.length - 1);
    const line = lines[to];
    if (!line) return;
    event.preventDefault();
    if (isTurned) return;
    take(line);
    reveal(to);
  };
  return (
    <>
      <form
        className={styles.filters}
        onSubmit={(event) => {
          event.preventDefault();
          onScan();
        }}
      >
        <TextField
          label={t('redis.pattern')}
          labelHidden
          type="search"
          mono
          focusKey="/"
          placeholder="*"
          value={match}
          onValueChange={onMatch}
        />
        <div className={styles.row}>
          <Select
            label={t('redis.database')}
            labelHidden
            value={database}
            onValueChange={onDatabase}
            options={databases.map((each) => ({ value: each, label: t('redis.database-n', { name: each }) }))}
          />
          <Select
            label={t('redis.kind')}
            labelHidden
            value={kind === '' ? 'any' : kind}
            onValueChange={(next) => onKind(next === 'any' ? '' : next)}
            options={[
              { value: 'any', label: t('redis.any-kind') },
              ...KEY_KINDS.map((each) => ({ value: each, label: each })),
            ]}
          />
          <IconButton icon={RefreshCw} label={t('redis.scan')} onClick={onScan} disabled={isScanning} />
          {onAdd && <IconButton icon={Plus} label={t('redis.new-title')} onClick={onAdd} />}
        </div>
        <p className={styles.count} role="status">
          {t('redis.count', { count: keys.length, total })}
          {isScanning && (
            <Button size="small" tone="ghost" onClick={onStop}>
              {t('redis.stop')}
            </Button>
          )}
        </p>
      </form>
      {failure !== undefined && (
        <Notice tone="bad">{failure === '' ? t('workbench.cut-off') : asSentence(failure)}</Notice>
      )}
      <div
        ref={box}
        className={styles.keys}
        role="tree"
        // An empty one is none to programs that read aloud.
        aria-hidden={keys.length === 0}
        tabIndex={keys.length === 0 ? -1 : 0}
        aria-label={t('redis.keys')}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        onKeyDown={move}
      >
        <div ref={body} className={styles.body} style={{ height: lines.length * rowHeight }}>
          {lines.slice(first, last).map((line, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself hears the keys
            <div
              key={idOf(line)}
              id={`${id}-${first + index}`}
              data-index={first + index}
              role="treeitem"
              tabIndex={-1}
              aria-level={line.depth + 1}
              aria-expanded={line.is === 'folder' ? line.isOpen : undefined}
              aria-selected={first + index === at}
              className={styles.key}
              style={{ top: (first + index) * rowHeight, paddingLeft: 12 + line.depth * 16 }}
              onClick={() => {
                take(line);
                if (line.is === 'folder') toggle(line.path);
              }}
            >
              <LineWords line={line} />
            </div>
          ))}
        </div>
        {keys.length === 0 && !isScanning && failure === undefined && <p className={styles.none}>{t('redis.none')}</p>}
      </div>
      <p className={styles.note}>{t(isCut ? 'redis.cut' : 'redis.scan-note')}</p>
    </>
  );
}

/** A key may be called as a folder is. */
function idOf({ is, path }: KeyLine): string {
  return `${is} ${path}`;
}

function LineWords({ line }: { line: KeyLine }) {
  if (line.is === 'folder')
    return (
      <>
        <Icon of={line.isOpen ? ChevronDown : ChevronRight} size={12} />
        <Icon of={line.isOpen ? FolderOpen : Folder} size={14} className={styles.folder} />
        <code className={styles.name}>{line.label}</code>
        <span className={styles.faint}>{formatNumber(line.count)}</span>
      </>
    );
  const { kind, endsInMs } = line.key;
  return (
    <>
      {kind !== '' && <Badge>{kind}</Badge>}
      <code className={styles.name} title={line.label}>
        {line.label}
      </code>
      {endsInMs !== undefined && <span className={styles.faint}>{formatDuration(endsInMs)}</span>}
    </>
  );
}
