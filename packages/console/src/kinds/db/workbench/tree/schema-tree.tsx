/** Schemas, tables and what is in them, opened one level at a time; moved through by keys. */

import type { TreeNode } from '@gatehouse/contract/kinds/db/editor';
import { classNames } from '@gatehouse/design/class-names';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { TextField } from '@gatehouse/design/text-field';
import ChevronDown from 'lucide-react/icons/chevron-down';
import ChevronRight from 'lucide-react/icons/chevron-right';
import Eye from 'lucide-react/icons/eye';
import Folder from 'lucide-react/icons/folder';
import Hash from 'lucide-react/icons/hash';
import KeyRound from 'lucide-react/icons/key-round';
import Layers from 'lucide-react/icons/layers';
import ListTree from 'lucide-react/icons/list-tree';
import Minus from 'lucide-react/icons/minus';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import SquareFunction from 'lucide-react/icons/square-function';
import Table2 from 'lucide-react/icons/table-2';
import Zap from 'lucide-react/icons/zap';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from '../../../../platform/browser/store.ts';
import { asSentence, formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import styles from './tree.module.css';
import { type Line, linesOf, type SchemaTree as Tree } from './tree-store.ts';

const ICONS: Readonly<Record<TreeNode['kind'], IconComponent>> = {
  schema: Layers,
  group: Folder,
  table: Table2,
  view: Eye,
  function: SquareFunction,
  sequence: Hash,
  column: Minus,
  key: KeyRound,
  index: ListTree,
  trigger: Zap,
};

interface SchemaTreeProps {
  tree: Tree;
  /** Another session: what was read before may be of another user. */
  session: string | undefined;
  /** What is in it, as it is called. */
  label: string;
  /** Enter or a double click: its name goes where the cursor is. */
  onPick: (path: readonly string[], node: TreeNode) => void;
}

export function SchemaTree({ tree, session, label, onPick }: SchemaTreeProps) {
  const t = useTranslate();
  const view = useStore(tree.view);
  const [search, setSearch] = useState('');
  const [current, setCurrent] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(view, search), [view, search]);
  useEffect(() => {
    if (session !== undefined) tree.refresh();
  }, [tree, session]);
  const at = Math.max(
    0,
    lines.findIndex(({ key }) => key === current),
  );

  const go = (line: Line | undefined) => {
    if (!line) return;
    setCurrent(line.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(line.key)}"]`)?.focus();
  };
  const toggle = (line: Line) => {
    if (line.is === 'more' || line.is === 'failed') void tree.load(line.path);
    else if (line.is === 'node' && !line.node.isLeaf) void tree[line.isOpen ? 'close' : 'open'](line.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const line = lines[at];
    if (!line || event.altKey || event.ctrlKey || event.metaKey) return;
    const isPicked = event.key === 'Enter' && line.is === 'node' && line.node.kind !== 'group';
    const next = movedTo(event.key, lines, at);
    if (isPicked) onPick(line.path, line.node);
    else if (next === 'toggle') toggle(line);
    else if (next) go(next);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={styles.head}>
        <TextField
          type="search"
          label={t('workbench.tree-search')}
          labelHidden
          placeholder={t('workbench.tree-search')}
          value={search}
          onValueChange={setSearch}
          onClear={() => setSearch('')}
        />
        <IconButton icon={RefreshCw} size="small" label={t('workbench.tree-refresh')} onClick={tree.refresh} />
      </div>
      <div ref={list} role="tree" tabIndex={-1} aria-label={label} className={styles.tree} onKeyDown={onKeyDown}>
        {lines.map((line, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys of its lines
          <div
            key={line.key}
            role="treeitem"
            data-key={line.key}
            aria-level={line.depth + 1}
            aria-expanded={line.is === 'node' && !line.node.isLeaf ? line.isOpen : undefined}
            aria-selected={index === at}
            tabIndex={index === at ? 0 : -1}
            className={classNames(styles.line, line.is !== 'node' && styles.aside)}
            style={{ paddingLeft: 8 + line.depth * 14 }}
            onFocus={() => setCurrent(line.key)}
            onClick={() => toggle(line)}
            onDoubleClick={() => line.is === 'node' && onPick(line.path, line.node)}
          >
            <LineWords line={line} />
          </div>
        ))}
      </div>
    </>
  );
}

/** Where a key leads, or that it opens or closes where one is. */
function movedTo(key: string, lines: readonly Line[], at: number): Line | 'toggle' | undefined {
  const line = lines[at];
  const isOpen = line?.is === 'node' && line.isOpen;
  switch (key) {
    case 'ArrowDown':
      return lines[at + 1] ?? line;
    case 'ArrowUp':
      return lines[at - 1] ?? line;
    case 'Home':
      return lines[0];
    case 'End':
      return lines.at(-1);
    case 'ArrowRight':
      return isOpen ? lines[at + 1] : 'toggle';
    case 'ArrowLeft':
      return isOpen ? 'toggle' : lines.slice(0, at).findLast(({ depth }) => depth < (line?.depth ?? 0));
    case ' ':
    case 'Enter':
      return 'toggle';
    default:
      return undefined;
  }
}

function LineWords({ line }: { line: Line }) {
  const t = useTranslate();
  if (line.is === 'loading')
    return (
      <>
        <SpinnerRing size="small" /> {t('workbench.tree-loading')}
      </>
    );
  if (line.is === 'none') return t('workbench.tree-none');
  if (line.is === 'more') return t('workbench.tree-more', { count: line.count });
  if (line.is === 'failed') return `${line.why === '' ? '' : `${asSentence(line.why)} `}${t('workbench.tree-again')}`;
  const { node, isOpen } = line;
  const isKey = node.kind === 'column' && node.isKey === true;
  return (
    <>
      <span className={styles.turn}>{!node.isLeaf && <Icon of={isOpen ? ChevronDown : ChevronRight} size={12} />}</span>
      <Icon of={isKey ? KeyRound : ICONS[node.kind]} size={14} className={styles.icon} />
      <code className={styles.name} title={node.name}>
        {node.name}
      </code>
      {node.detail !== '' && (
        <code className={styles.detail} title={node.detail}>
          {node.detail}
        </code>
      )}
      {node.rows !== undefined && <code className={styles.count}>{formatNumber(node.rows)}</code>}
    </>
  );
}
