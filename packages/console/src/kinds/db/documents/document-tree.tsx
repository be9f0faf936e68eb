/** Documents as a tree: only the lines in sight are on the page. Opened, closed and moved through by keys. */
import type { MongoValue } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { writeLeaf, writeMongo } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { Badge } from '@gatehouse/design/badge';
import { Icon } from '@gatehouse/design/icon';
import { copyText } from '@gatehouse/design/use-copy';
import { useRowWindow } from '@gatehouse/design/use-row-window';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { formatBytes, formatNumber } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type DocumentLine, isParent, type LineList, linesOf } from './document-lines.ts';
import type { Documents } from './document-rows.ts';
import styles from './documents.module.css';

/** More is not seen on a line. */
const ON_A_LINE = 300;
const MAX_PREVIEW_FIELDS = 8;

interface DocumentTreeProps {
  documents: Documents;
  count: number;
  chosen: number | undefined;
  /** Enter or a double click. */
  onOpen: (index: number) => void;
  onChoose: (index: number) => void;
  onCopied: (isDone: boolean) => void;
}

export function DocumentTree({ documents, count, chosen, onOpen, onChoose, onCopied }: DocumentTreeProps) {
  const t = useTranslate();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState('0');
  const lines = useMemo(() => linesOf(documents, count, turned), [documents, count, turned]);
  const { first, last, rowHeight, fit, reveal } = useRowWindow(box, body, lines.total);
  const at = Math.max(0, lines.find(current));

  const go = (to: number) => {
    const line = lines.at(Math.max(0, Math.min(lines.total - 1, to)));
    if (!line) return;
    setCurrent(line.key);
    onChoose(line.index);
    reveal(lines.find(line.key));
  };
  const turn = ({ key, value }: DocumentLine) => {
    if (!isParent(value)) return;
    setTurned((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const line = lines.at(at);
    if (!line || event.altKey) return;
    const isWhole = event.ctrlKey || event.metaKey;
    if (isWhole && event.key.toLowerCase() === 'c' && !document.getSelection()?.toString())
      void copyText(line.value.is === 'text' ? line.value.text : writeMongo(line.value)).then(onCopied);
    else if (isWhole) return;
    else if (event.key === 'Enter') onOpen(line.index);
    else {
      const next = movedTo(event.key, lines, at, fit);
      if (next === 'turn') turn(line);
      else if (next === undefined) return;
      else go(next);
    }
    event.preventDefault();
  };
  const inSight = Array.from({ length: Math.max(0, last - first) }, (_, index) => lines.at(first + index));
  return (
    <div
      ref={box}
      className={styles.lines}
      role="tree"
      tabIndex={0}
      aria-label={t('mongo.documents', { count })}
      aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div ref={body} className={styles.body} style={{ height: lines.total * rowHeight }}>
        {inSight.map((line, index) =>
          line ? (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree itself hears the keys
            <div
              key={line.key}
              id={`${id}-${first + index}`}
              data-index={first + index}
              role="treeitem"
              tabIndex={-1}
              aria-level={line.depth + 1}
              aria-posinset={line.position}
              aria-setsize={line.neighbours}
              aria-expanded={isParent(line.value) ? line.isOpen : undefined}
              aria-selected={first + index === at}
              className={styles.line}
              data-chosen={line.index === chosen || undefined}
              data-first={line.depth === 0 || undefined}
              style={{ top: (first + index) * rowHeight, paddingLeft: 8 + line.depth * 18 }}
              onClick={() => {
                setCurrent(line.key);
                onChoose(line.index);
                turn(line);
              }}
              onDoubleClick={() => onOpen(line.index)}
            >
              <span className={styles.turn}>
                {isParent(line.value) && <Icon of={line.isOpen ? ChevronDown : ChevronRight} size={12} />}
              </span>
              <LineWords line={line} bytes={line.depth === 0 ? documents.cutAt(line.index) : undefined} />
            </div>
          ) : null,
        )}
      </div>
    </div>
  );
}

/** Where a key leads, or that it opens or closes where one is. */
function movedTo(key: string, lines: LineList, at: number, fit: number): number | 'turn' | undefined {
  const line = lines.at(at);
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1;
    case 'PageDown':
      return at + fit;
    case 'PageUp':
      return at - fit;
    case 'Home':
      return 0;
    case 'End':
      return lines.total - 1;
    case 'ArrowRight':
      return line?.isOpen ? at + 1 : 'turn';
    case 'ArrowLeft':
      if (line?.isOpen) return 'turn';
      return line && line.depth > 0 ? lines.find(line.key.slice(0, line.key.lastIndexOf('.'))) : at;
    case ' ':
      return 'turn';
    default:
      return undefined;
  }
}

function LineWords({ line, bytes }: { line: DocumentLine; bytes: number | undefined }) {
  const t = useTranslate();
  const { depth, name, value, index, isOpen } = line;
  return (
    <>
      {depth === 0 ? (
        <span className={styles.number}>{formatNumber(index + 1)}</span>
      ) : (
        <span className={styles.name}>{visibleText(name, ON_A_LINE)}:</span>
      )}
      <code className={styles.value} data-is={value.is}>
        {isOpen ? openWord(value) : preview(value)}
      </code>
      {bytes !== undefined && <Badge tone="warn">{t('mongo.cut', { size: formatBytes(bytes) })}</Badge>}
    </>
  );
}

function openWord(value: MongoValue): string {
  return value.is === 'array' ? `[${formatNumber(value.values.length)}]` : '{ }';
}

/** The beginning of it: the whole of a long one is not written for a line. */
function preview(value: MongoValue): string {
  if (value.is === 'document') {
    const shown = {
      ...value,
      fields: value.fields
        .slice(0, MAX_PREVIEW_FIELDS)
        .map(({ name, value: inner }) => ({ name, value: short(inner) })),
    };
    return visibleText(
      writeMongo(shown).replace(/ \}$/, value.fields.length > MAX_PREVIEW_FIELDS ? ', … }' : ' }'),
      ON_A_LINE,
    );
  }
  if (value.is === 'array')
    return visibleText(
      writeMongo({ ...value, values: value.values.slice(0, MAX_PREVIEW_FIELDS).map(short) }),
      ON_A_LINE,
    );
  return visibleText(writeLeaf(value), ON_A_LINE);
}

function short(value: MongoValue): MongoValue {
  if (value.is === 'text') return { ...value, text: value.text.slice(0, ON_A_LINE) };
  if (value.is === 'document')
    return {
      ...value,
      fields: value.fields.slice(0, 2).map(({ name, value: inner }) => ({ name, value: leafOnly(inner) })),
    };
  return value.is === 'array' ? { ...value, values: value.values.slice(0, 2).map(leafOnly) } : value;
}

function leafOnly(value: MongoValue): MongoValue {
  if (value.is === 'document') return { is: 'document', fields: [] };
  if (value.is === 'array') return { is: 'array', values: [] };
  return value.is === 'text' ? { ...value, text: value.text.slice(0, ON_A_LINE) } : value;
}
