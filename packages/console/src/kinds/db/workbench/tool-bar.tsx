/** What can be done with the text of a tab. While something runs, how long it has, and a way to stop it. */
import { Button } from '@gatehouse/design/button';
import { IconButton } from '@gatehouse/design/icon-button';
import { Menu, MenuItem, MenuSeparator } from '@gatehouse/design/menu';
import { SpinnerRing } from '@gatehouse/design/spinner';
import Bookmark from 'lucide-react/icons/bookmark';
import ChevronDown from 'lucide-react/icons/chevron-down';
import FlaskConical from 'lucide-react/icons/flask-conical';
import Gauge from 'lucide-react/icons/gauge';
import ListTree from 'lucide-react/icons/list-tree';
import Play from 'lucide-react/icons/play';
import Square from 'lucide-react/icons/square';
import { type ReactNode, useEffect, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatNumber } from '../../../platform/i18n/formats.ts';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import { isRunning, isUnsettled, type Work } from './bench/work.ts';
import { EDITOR_KEYS, type EditorCommand } from './editor/code-editor.tsx';
import styles from './workbench.module.css';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

/** As they stand on the keyboard. */
export function capsOf(command: EditorCommand): string[] {
  const caps: Record<string, string> = {
    Mod: IS_MAC ? '⌘' : 'Ctrl',
    Shift: IS_MAC ? '⇧' : 'Shift',
    Alt: IS_MAC ? '⌥' : 'Alt',
    Enter: '↵',
  };
  return EDITOR_KEYS[command].split('-').map((key) => caps[key] ?? key.toUpperCase());
}

interface ToolBarProps {
  work: Work | undefined;
  isReady: boolean;
  readOnly: boolean;
  onCommand: (command: EditorCommand) => void;
  children?: ReactNode;
}

export function ToolBar({ work, isReady, readOnly, onCommand, children }: ToolBarProps) {
  const t = useTranslate();
  const isBusy = isRunning(work);
  const isWaiting = isUnsettled(work);
  const why: WordId = isWaiting ? 'workbench.settle-first' : 'workbench.not-connected';
  return (
    <div className={styles.tools}>
      {isBusy && !isWaiting ? (
        <>
          <Button size="small" icon={Square} title={capsOf('cancel').join(' ')} onClick={() => onCommand('cancel')}>
            {t('workbench.cancel')}
          </Button>
          <Running work={work} />
        </>
      ) : (
        <>
          <Button
            size="small"
            tone="primary"
            icon={Play}
            title={capsOf('run').join(' ')}
            disabled={!isReady || isWaiting}
            disabledReason={t(why)}
            onClick={() => onCommand('run')}
          >
            {t('workbench.run')}
          </Button>
          <Menu
            align="start"
            trigger={
              <IconButton
                icon={ChevronDown}
                size="small"
                label={t('workbench.run-how')}
                disabled={!isReady || isWaiting}
                disabledReason={t(why)}
              />
            }
          >
            <MenuItem icon={Play} keys={capsOf('run')} onSelect={() => onCommand('run')}>
              {t('workbench.run-statement')}
            </MenuItem>
            <MenuItem keys={capsOf('run-all')} onSelect={() => onCommand('run-all')}>
              {t('workbench.run-all')}
            </MenuItem>
            <MenuSeparator />
            <MenuItem
              icon={FlaskConical}
              keys={capsOf('dry-run')}
              disabled={readOnly}
              hint={readOnly ? t('workbench.read-only') : undefined}
              onSelect={() => onCommand('dry-run')}
            >
              {t('workbench.dry-run')}
            </MenuItem>
            <MenuItem icon={ListTree} keys={capsOf('explain')} onSelect={() => onCommand('explain')}>
              {t('workbench.explain')}
            </MenuItem>
            <MenuItem icon={Gauge} keys={capsOf('measure')} onSelect={() => onCommand('measure')}>
              {t('workbench.measure')}
            </MenuItem>
          </Menu>
          <span className={styles.wide}>
            <Button
              size="small"
              tone="ghost"
              icon={ListTree}
              disabled={!isReady || isWaiting}
              onClick={() => onCommand('explain')}
            >
              {t('workbench.explain-short')}
            </Button>
            {!readOnly && (
              <Button
                size="small"
                tone="ghost"
                icon={FlaskConical}
                disabled={!isReady || isWaiting}
                onClick={() => onCommand('dry-run')}
              >
                {t('workbench.dry-run-short')}
              </Button>
            )}
          </span>
        </>
      )}
      <span className={styles.wide}>
        <Button size="small" tone="ghost" icon={Bookmark} disabled={!isReady} onClick={() => onCommand('save')}>
          {t('workbench.save')}
        </Button>
      </span>
      <span className={styles.grow} />
      {children}
    </div>
  );
}

export function Running({ work }: { work: Work }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), 200);
    return () => clearInterval(timer);
  }, [now]);
  const rows = work.results.at(-1)?.count ?? 0;
  const seconds = (Math.max(0, time - work.begun) / 1000).toFixed(1);
  return (
    <span className={styles.running} role="status">
      <SpinnerRing size="small" />
      <span aria-hidden="true">{t('workbench.seconds', { seconds })}</span>
      {rows > 0 && <span>{t('workbench.rows-so-far', { count: formatNumber(rows) })}</span>}
    </span>
  );
}
