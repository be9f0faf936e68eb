/** Any thing, screen or action by a few letters. The caller gives the groups; keys and matching are here. */

import Search from 'lucide-react/icons/search';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import styles from './command-palette.module.css';
import { Icon } from './icon.tsx';
import { KeyCap } from './key-cap.tsx';
import { type KeyHint, KeyHints } from './key-hints.tsx';
import { Modal, ModalTitle } from './modal.tsx';
import { type PaletteGroup, type ShownItem, shownGroups } from './palette-groups.ts';
import { SpinnerRing } from './spinner.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';
import { useWords } from './words.tsx';

export interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Name of the palette and placeholder of its field. */
  label: string;
  query: string;
  onQueryChange: (query: string) => void;
  groups: readonly PaletteGroup[];
  /** What the items are held against, where that is not all of what was typed. */
  match?: string;
  /** False when the groups already are the answer to the query. */
  filter?: boolean;
  /** Lifts the best item into a group of this title. */
  bestTitle?: string;
  /** Where it searches, such as the cluster's name. */
  scope?: ReactNode;
  busy?: boolean;
  /** Shown when nothing fits. */
  empty: ReactNode;
  keys?: readonly KeyHint[];
  endKeys?: readonly KeyHint[];
}

export function CommandPalette({ open, onOpenChange, ...panel }: CommandPaletteProps) {
  return (
    <Modal open={open} onOpenChange={onOpenChange} place="top" className={styles.palette}>
      <PalettePanel {...panel} onClose={() => onOpenChange(false)} />
    </Modal>
  );
}

type PanelProps = Omit<CommandPaletteProps, 'open' | 'onOpenChange'> & { onClose: () => void };

function PalettePanel(props: PanelProps) {
  const { label, query, onQueryChange, scope, busy = false, keys = [], endKeys = [], onClose } = props;
  const words = useWords();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosenId, setChosenId] = useState<string>();
  const groups = shownGroups(props.groups, {
    query: props.match ?? query,
    filter: props.filter ?? true,
    bestTitle: props.bestTitle,
  });
  const items = groups.flatMap((group) => group.items);
  // An item that no longer fits gives way to the best one.
  const chosen = items.find((item) => item.id === chosenId) ?? items[0];
  const optionId = (item: ShownItem) => `${id}-${item.id}`;

  const choose = (index: number) => {
    const next = items[(index + items.length) % items.length];
    if (!next) return;
    setChosenId(next.id);
    document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' });
  };
  const take = (item: ShownItem, how: 'plain' | 'other') => {
    onClose();
    item.onSelect(how);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const at = chosen ? items.indexOf(chosen) : -1;
    if (event.key === 'Enter' && chosen) take(chosen, event.ctrlKey || event.metaKey ? 'other' : 'plain');
    else if (event.key === 'ArrowDown' || (event.ctrlKey && event.key === 'n')) choose(at + 1);
    else if (event.key === 'ArrowUp' || (event.ctrlKey && event.key === 'p')) choose(at - 1);
    else if (event.key === 'PageDown') choose(Math.min(at + 8, items.length - 1));
    else if (event.key === 'PageUp') choose(Math.max(at - 8, 0));
    else return;
    event.preventDefault();
  };

  return (
    <>
      <ModalTitle>
        <VisuallyHidden>{label}</VisuallyHidden>
      </ModalTitle>
      <div className={styles.query}>
        <Icon of={Search} size={20} />
        <input
          className={styles.input}
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && optionId(chosen)}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={label}
          value={query}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setChosenId(undefined);
            list.current?.scrollTo?.({ top: 0 });
            onQueryChange(event.target.value);
          }}
        />
        {busy && <SpinnerRing size="small" />}
        {scope && <span className={styles.scope}>{scope}</span>}
      </div>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={styles.list}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot group the options of a listbox
          <div key={group.id} role="group" aria-labelledby={`${id}-${group.id}-title`}>
            <div id={`${id}-${group.id}-title`} className={styles.heading}>
              {group.title}
              {group.total !== undefined && <span className={styles.total}>{group.total}</span>}
            </div>
            {group.items.map((item) => (
              <PaletteRow
                key={item.id}
                id={optionId(item)}
                item={item}
                chosen={item === chosen}
                onPoint={() => setChosenId(item.id)}
                onTake={(how) => take(item, how)}
              />
            ))}
            {group.note !== undefined && <div className={styles.note}>{group.note}</div>}
          </div>
        ))}
      </div>
      {items.length === 0 && !busy && <div className={styles.empty}>{props.empty}</div>}
      <span role="status">
        <VisuallyHidden>{query !== '' && words.results(items.length)}</VisuallyHidden>
      </span>
      <div className={styles.foot}>
        <KeyHints hints={keys} />
        <KeyHints hints={endKeys} align="end" />
      </div>
    </>
  );
}

interface PaletteRowProps {
  id: string;
  item: ShownItem;
  chosen: boolean;
  onPoint: () => void;
  onTake: (how: 'plain' | 'other') => void;
}

/** The pointer chooses only when it moves: rows that slide under a resting pointer must not steal the choice. */
function PaletteRow({ id, item, chosen, onPoint, onTake }: PaletteRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus and has the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      className={styles.item}
      onPointerMove={chosen ? undefined : onPoint}
      onClick={(event) => onTake(event.ctrlKey || event.metaKey ? 'other' : 'plain')}
    >
      {item.icon && <Icon of={item.icon} />}
      <span className={styles.title}>
        <MarkedText text={item.title} ranges={item.ranges} />
      </span>
      <span className={styles.detail}>{item.detail}</span>
      <span className={styles.end}>
        {chosen ? (item.enter ?? item.hint) : item.hint}
        {chosen && <KeyCap>↵</KeyCap>}
      </span>
    </div>
  );
}

/** A text with its matched letters marked. */
export function MarkedText({ text, ranges }: { text: string; ranges: ShownItem['ranges'] }) {
  const ends = [0, ...ranges.map(([, end]) => end)];
  return (
    <>
      {ranges.map(([start, end], index) => (
        <span key={start}>
          {text.slice(ends[index], start)}
          <mark>{text.slice(start, end)}</mark>
        </span>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
}
