/** Keys by pattern and type: few of many are on the page. */
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import { useRowWindow } from '@gatehouse/design/use-row-window';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { type KeyboardEvent, useId, useRef } from 'react';
import { asSentence, formatDuration } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './keys.module.css';
import { shownText } from './redis-words.ts';
import type { FoundKey, KeyList } from './use-key-list.ts';

export const KEY_KINDS = ['string', 'hash', 'list', 'set', 'zset', 'stream'] as const;

interface KeyListProps {
  list: KeyList;
  match: string;
  kind: string;
  chosen: string | undefined;
  onMatch: (match: string) => void;
  onKind: (kind: string) => void;
  onScan: () => void;
  onStop: () => void;
  onChoose: (key: FoundKey) => void;
}

export function KeyBrowser({ list, match, kind, chosen, onMatch, onKind, onScan, onStop, onChoose }: KeyListProps) {
  const t = useTranslate();
  const { keys, total, isScanning, isCut, failure } = list;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const { first, last, rowHeight, reveal } = useRowWindow(box, body, keys.length);
  const at = keys.findIndex(({ name }) => JSON.stringify(name) === chosen);
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: Math.max(0, at - 1),
      k: Math.max(0, at - 1),
      Home: 0,
      End: keys.length - 1,
    };
    const to = Math.min(steps[event.key] ?? -1, keys.length - 1);
    const key = keys[to];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onChoose(key);
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
        role="listbox"
        // An empty one is none to programs that read aloud.
        aria-hidden={keys.length === 0}
        tabIndex={keys.length === 0 ? -1 : 0}
        aria-label={t('redis.keys')}
        aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
        onKeyDown={move}
      >
        <div ref={body} className={styles.body} style={{ height: keys.length * rowHeight }}>
          {keys.slice(first, last).map((key, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself hears the keys
            <div
              key={JSON.stringify(key.name)}
              id={`${id}-${first + index}`}
              data-index={first + index}
              role="option"
              tabIndex={-1}
              aria-selected={first + index === at}
              aria-posinset={first + index + 1}
              aria-setsize={keys.length}
              className={styles.key}
              style={{ top: (first + index) * rowHeight }}
              onClick={() => onChoose(key)}
            >
              {key.kind !== '' && <Badge>{key.kind}</Badge>}
              <code className={styles.name}>{shownText(key.name)}</code>
              {key.endsInMs !== undefined && <span className={styles.faint}>{formatDuration(key.endsInMs)}</span>}
            </div>
          ))}
        </div>
        {keys.length === 0 && !isScanning && failure === undefined && <p className={styles.none}>{t('redis.none')}</p>}
      </div>
      <p className={styles.note}>{t(isCut ? 'redis.cut' : 'redis.scan-note')}</p>
    </>
  );
}
