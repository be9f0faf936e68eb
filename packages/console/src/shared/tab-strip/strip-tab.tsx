/** One tab of a strip: shown, renamed and closed by pointer or keyboard; arrows lead to those beside it. */
import { classNames } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import X from 'lucide-react/icons/x';
import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import styles from './tab-strip.module.css';

type Dragging = Pick<ComponentProps<'li'>, 'draggable' | 'onDragStart' | 'onDragOver' | 'onAuxClick'>;

interface StripTabProps extends Dragging {
  /** As it is shown among the others. */
  name: string;
  isCurrent: boolean;
  /** The one that Tab leads to; arrows lead to the others. */
  isStop: boolean;
  isRenaming: boolean;
  words: { hint: string; rename: string; close: string };
  onShow: () => void;
  onClose: () => void;
  onRenaming: (isRenaming: boolean) => void;
  onName: (name: string) => void;
  /** Among the others, where that can be. */
  onMove?: (step: 1 | -1) => void;
  /** Its name, and what is to be seen of it beside that. */
  children: ReactNode;
}

export function StripTab(props: StripTabProps) {
  const { name, isCurrent, isStop, isRenaming, words, onShow, onClose, onRenaming, onName, onMove } = props;
  const { children, draggable, onDragStart, onDragOver, onAuxClick } = props;
  const item = useRef<HTMLLIElement>(null);
  // Once more when the name comes, which makes it wider: on a phone there is room for one tab and a bit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name is what it is as wide as
  useEffect(() => {
    if (isCurrent) item.current?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent, name]);
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0 && event.ctrlKey && onMove) onMove(step);
    else if (step !== 0) {
      const beside = step === 1 ? item.current?.nextElementSibling : item.current?.previousElementSibling;
      beside?.querySelector('button')?.focus();
    } else if (event.key === 'F2') onRenaming(true);
    else if (event.key === 'Delete') onClose();
    else return;
    event.preventDefault();
  };
  return (
    <li
      ref={item}
      className={classNames(styles.tab, isCurrent && styles.current)}
      {...{ draggable, onDragStart, onDragOver, onAuxClick }}
    >
      {isRenaming ? (
        <input
          // biome-ignore lint/a11y/noAutofocus: somebody has just asked to type here
          autoFocus
          className={styles.rename}
          aria-label={words.rename}
          defaultValue={name}
          maxLength={60}
          onFocus={({ target }) => target.select()}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onName(event.currentTarget.value);
            if (event.key === 'Enter' || event.key === 'Escape') onRenaming(false);
          }}
          onBlur={({ target }) => {
            if (target.value !== name) onName(target.value);
            onRenaming(false);
          }}
        />
      ) : (
        <button
          type="button"
          className={styles.tabName}
          aria-current={isCurrent}
          tabIndex={isStop ? 0 : -1}
          title={words.hint}
          onClick={onShow}
          onDoubleClick={() => onRenaming(true)}
          onKeyDown={onKeyDown}
        >
          {children}
        </button>
      )}
      <IconButton
        icon={X}
        tipSide="bottom"
        size="small"
        className={styles.tabClose}
        label={words.close}
        tabIndex={isStop ? 0 : -1}
        onClick={onClose}
      />
    </li>
  );
}

interface TabListProps {
  label: string;
  children: ReactNode;
}

/** The tabs of a strip, which move below the edge where there are more than fit. */
export function TabList({ label, children }: TabListProps) {
  return (
    <nav className={styles.place} aria-label={label}>
      <ul className={styles.tabs}>{children}</ul>
    </nav>
  );
}
