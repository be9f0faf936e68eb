/** The bar over a desktop: where one is, how the line is, keys, and the way out. It hides, so that nothing covers the picture. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { Avatar } from '@gatehouse/design/avatar';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Mark } from '@gatehouse/design/mark';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { Tooltip } from '@gatehouse/design/tooltip';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Circle from 'lucide-react/icons/circle';
import CircleSlash from 'lucide-react/icons/circle-slash';
import Clipboard from 'lucide-react/icons/clipboard';
import Ellipsis from 'lucide-react/icons/ellipsis';
import FolderDown from 'lucide-react/icons/folder-down';
import FolderInput from 'lucide-react/icons/folder-input';
import FolderSync from 'lucide-react/icons/folder-sync';
import FolderX from 'lucide-react/icons/folder-x';
import Keyboard from 'lucide-react/icons/keyboard';
import LogOut from 'lucide-react/icons/log-out';
import Maximize from 'lucide-react/icons/maximize';
import Minimize from 'lucide-react/icons/minimize';
import Pin from 'lucide-react/icons/pin';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type DesktopView, isOwnSession } from '../session/live-desktop.ts';
import page from './desktop.module.css';
import styles from './desktop-bar.module.css';
import type { FitMode } from './fit-picture.ts';
import { KeyMenu, type KeyMenuProps } from './key-menu.tsx';

/** After it was last pointed at. */
export const BAR_HIDES_MS = 3_000;

interface DesktopBarProps {
  clusterId: string;
  name: string;
  login: string;
  view: DesktopView;
  keys: Omit<KeyMenuProps, 'onOpenChange'>;
  fit: FitMode;
  onFit: (fit: FitMode) => void;
  isFull: boolean;
  onFull: () => void;
  isPanelOpen: boolean;
  onPanel: () => void;
  /** Counts up each time it is asked for by keys. */
  asked: number;
  onKeyboard: () => void;
  onUnshare: () => void;
  onLeave: () => void;
}

export function DesktopBar(props: DesktopBarProps) {
  const { clusterId, name, login, view, keys, fit, onFit, isFull, onFull, isPanelOpen, onPanel, asked } = props;
  const t = useTranslate();
  const bar = useRef<HTMLDivElement>(null);
  const [isPinned, setPinned] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { isShown, show, rest } = useHiding(isPinned || isBusy || view.line.is !== 'open' || !view.isDrawn);
  const wasAsked = useRef(asked);
  useEffect(() => {
    if (asked === wasAsked.current) return;
    wasAsked.current = asked;
    show();
    bar.current?.querySelector<HTMLElement>('button, a')?.focus();
  }, [asked, show]);
  const { session, gatewayMs, parties } = view;
  // Of one that is over neither is true any more.
  const isOver = view.line.is === 'ended' || view.line.is === 'refused';
  const ms = isOver ? undefined : gatewayMs.at(-1);
  return (
    <header className={styles.barPlace}>
      <div
        ref={bar}
        role="toolbar"
        className={classNames(styles.bar, !isShown && styles.barHidden)}
        aria-label={t('desktop.bar')}
        onPointerEnter={show}
        onPointerLeave={rest}
        onFocus={show}
        onBlur={rest}
      >
        <a className={styles.home} href={pagePath('desktops', { clusterId })} aria-label={t('desktop.home')}>
          <Mark size={18} />
        </a>
        <h1 className={styles.who}>
          <span className={ONE_LINE}>{name}</span>
          <code className={classNames(ONE_LINE, styles.login)}>{login}</code>
        </h1>
        {ms !== undefined && (
          <Tooltip content={t('desktop.latency-hint')}>
            <span className={styles.meter}>{t('desktop.latency', { ms: Math.round(ms) })}</span>
          </Tooltip>
        )}
        {session && !isOver && (
          <span className={styles.meter} data-recorded={session.recorded || undefined}>
            <Icon of={session.recorded ? Circle : CircleSlash} size={12} />
            <span className={styles.wide}>{t(session.recorded ? 'desktop.recording' : 'desktop.unrecorded')}</span>
          </span>
        )}
        {parties.length > 1 && (
          <ul className={styles.people} aria-label={t('desktop.people')}>
            {parties.map(({ id, user, self, mode }) => (
              <li key={id}>
                <Tooltip content={t('desktop.person', { name: user, mode: t(`desktop.party-${mode}`) })}>
                  <span>
                    <Avatar name={user} self={self} />
                    <VisuallyHidden>{user}</VisuallyHidden>
                  </span>
                </Tooltip>
              </li>
            ))}
          </ul>
        )}
        <span className={page.grow} />
        {view.folder?.is === 'on' && (
          <IconButton
            icon={FolderX}
            label={t('desktop.folder-end-named', { name: view.folder.name })}
            pressed
            onClick={props.onUnshare}
          />
        )}
        {view.transfer.files.length > 0 && (
          <IconButton
            icon={FolderDown}
            label={t('desktop.transfer-ready', { count: view.transfer.files.length + view.transfer.more })}
            pressed={isPanelOpen}
            onClick={onPanel}
          />
        )}
        {session?.mode === 'peer' && (
          <span className={styles.onPhone}>
            <IconButton icon={Keyboard} label={t('desktop.keyboard')} onClick={props.onKeyboard} />
          </span>
        )}
        <span className={styles.wide}>
          <KeyMenu {...keys} onOpenChange={setBusy} />
        </span>
        <IconButton
          icon={Clipboard}
          className={styles.wide}
          label={t('desktop.panel')}
          pressed={isPanelOpen}
          onClick={onPanel}
        />
        <span className={styles.wide}>
          <SegmentedControl
            label={t('desktop.size')}
            size="small"
            segments={[
              { value: 'fit', label: t('desktop.fit') },
              { value: 'actual', label: t('desktop.actual') },
            ]}
            value={fit}
            onValueChange={onFit}
          />
        </span>
        {document.fullscreenEnabled && (
          <IconButton
            icon={isFull ? Minimize : Maximize}
            className={styles.wide}
            label={t(isFull ? 'desktop.full-leave' : 'desktop.full')}
            onClick={onFull}
          />
        )}
        <IconButton
          icon={Pin}
          className={styles.wide}
          label={t('desktop.pin')}
          pressed={isPinned}
          onClick={() => setPinned(!isPinned)}
        />
        <span className={styles.onPhone}>
          <IconButton icon={Ellipsis} label={t('desktop.more')} pressed={isPanelOpen} onClick={onPanel} />
        </span>
        <IconButton
          icon={LogOut}
          label={t(session === undefined || isOwnSession(view) ? 'desktop.leave' : 'desktop.leave-other')}
          onClick={props.onLeave}
        />
      </div>
      {!isShown && (
        <button
          type="button"
          className={styles.barTab}
          aria-label={t('desktop.show-bar')}
          onPointerEnter={show}
          onClick={show}
        >
          <i data-recorded={session?.recorded || undefined} />
          <i data-line={view.line.is} />
          {view.folder?.is === 'on' && <Icon of={FolderInput} size={12} />}
          {view.transfer.is === 'on' && (
            <Icon of={view.transfer.files.length > 0 ? FolderDown : FolderSync} size={12} />
          )}
        </button>
      )}
    </header>
  );
}

/** Shown for a while, and for as long as something keeps it. */
function useHiding(isKept: boolean) {
  const [isShown, setShown] = useState(true);
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (isKept || isTouched) return setShown(true);
    const timer = setTimeout(() => setShown(false), BAR_HIDES_MS);
    return () => clearTimeout(timer);
  }, [isKept, isTouched]);
  const show = useCallback(() => {
    setShown(true);
    setTouched(true);
  }, []);
  return { isShown, show, rest: () => setTouched(false) };
}
