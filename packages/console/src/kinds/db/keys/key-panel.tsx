/** One key: what it is, what it has in it, and what can be changed about it. Each change is a command, shown before it is sent. */
import type { EditorReply, RedisText } from '@gatehouse/contract/kinds/db/editor';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { formatBytes, formatDuration, formatNumber } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { WantedEntry } from './add-dialog.tsx';
import type { WantedChange } from './change-dialog.tsx';
import { isKeyKind } from './key-kinds.ts';
import styles from './keys.module.css';
import { shownText } from './redis-words.ts';

export type SeenKey = Extract<EditorReply, { type: 'key' }>;

interface KeyPanelProps {
  seen: SeenKey;
  mayWrite: boolean;
  onMore: () => void;
  onAgain: () => void;
  onChange: (change: WantedChange) => void;
  onAdd: (entry: WantedEntry) => void;
}

export function KeyPanel({ seen, mayWrite, onMore, onAgain, onChange, onAdd }: KeyPanelProps) {
  const t = useTranslate();
  const { name, kind, encoding, endsInMs, bytes, size, entries, cursor } = seen;
  if (kind === 'none') return <p className={styles.none}>{t('redis.gone', { name: shownText(name) })}</p>;
  const facts = [
    [t('redis.ends'), endsInMs === undefined ? t('redis.no-end') : formatDuration(endsInMs)],
    [t(kind === 'string' ? 'redis.length' : 'redis.entries'), formatNumber(size)],
    ...(bytes === undefined ? [] : [[t('redis.memory'), formatBytes(bytes)]]),
    ...(encoding === '' ? [] : [[t('redis.encoding'), encoding]]),
  ];
  return (
    <>
      <header className={styles.panelHead}>
        <Badge>{kind}</Badge>
        <h2 className={styles.name}>
          <code>{shownText(name)}</code>
        </h2>
        <Button size="small" tone="ghost" onClick={onAgain}>
          {t('redis.read-again')}
        </Button>
        {mayWrite && (
          <>
            {kind !== 'string' && isKeyKind(kind) && (
              <Button size="small" onClick={() => onAdd({ name, kind })}>
                {t('redis.add-confirm')}
              </Button>
            )}
            <Button size="small" onClick={() => onChange({ is: 'rename', name })}>
              {t('redis.rename')}
            </Button>
            <Button size="small" onClick={() => onChange({ is: 'expire', name })}>
              {t('redis.expire')}
            </Button>
            <Button size="small" tone="danger" onClick={() => onChange({ is: 'delete', name })}>
              {t('redis.delete')}
            </Button>
          </>
        )}
      </header>
      <dl className={styles.facts}>
        {facts.map(([word, fact]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <table className={styles.table} aria-label={t('redis.in-key', { name: shownText(name) })}>
        <tbody>
          {entries.map((entry) => (
            <Entry key={JSON.stringify(entry[0])} seen={seen} entry={entry} mayWrite={mayWrite} onChange={onChange} />
          ))}
        </tbody>
      </table>
      {cursor !== '0' && (
        <p className={styles.more}>
          <Button size="small" onClick={onMore}>
            {t('redis.more', { count: entries.length, total: size })}
          </Button>
        </p>
      )}
    </>
  );
}

interface EntryProps {
  seen: SeenKey;
  entry: readonly RedisText[];
  mayWrite: boolean;
  onChange: (change: WantedChange) => void;
}

function Entry({ seen: { name, kind, size, cursor }, entry, mayWrite, onChange }: EntryProps) {
  const t = useTranslate();
  const [first = '', second] = entry;
  const value = kind === 'string' ? first : (second ?? '');
  // Of a text that is not all here, only the beginning would be left.
  const mayEdit =
    kind === 'hash' || kind === 'list' || kind === 'zset' || (kind === 'string' && cursor === '0' && size > 0);
  const mayRemove = kind === 'hash' || kind === 'set' || kind === 'zset' || kind === 'stream';
  return (
    <tr>
      {entry.length === 1 ? (
        <td colSpan={2}>{shownText(first)}</td>
      ) : (
        <>
          <th scope="row">{shownText(first)}</th>
          <td>{kind === 'stream' ? entry.slice(1).map(shownText).join(' ') : shownText(value)}</td>
        </>
      )}
      {mayWrite && (
        <td className={styles.deeds}>
          {mayEdit && (
            <Button size="small" tone="ghost" onClick={() => onChange({ is: 'set', name, kind, part: first, value })}>
              {t('redis.edit')}
            </Button>
          )}
          {mayRemove && (
            <Button size="small" tone="ghost" onClick={() => onChange({ is: 'remove', name, kind, part: first })}>
              {t('redis.remove')}
            </Button>
          )}
        </td>
      )}
    </tr>
  );
}
