/** What can be done with a command: run it, count what it finds, save it; while it runs, how long it has, and a way to stop it. */
import { Button } from '@gatehouse/design/button';
import Bookmark from 'lucide-react/icons/bookmark';
import Hash from 'lucide-react/icons/hash';
import Play from 'lucide-react/icons/play';
import Square from 'lucide-react/icons/square';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { isRunning, type Work } from '../workbench/bench/work.ts';
import type { BenchAbout } from '../workbench/bench/workbench.ts';
import type { EditorCommand } from '../workbench/editor/code-editor.tsx';
import { capsOf, Running } from '../workbench/tool-bar.tsx';
import styles from '../workbench/workbench.module.css';

interface DocumentsBarProps {
  about: BenchAbout;
  work: Work | undefined;
  isReady: boolean;
  /** Undefined for what is not counted. */
  onCount: (() => void) | undefined;
  onCommand: (command: EditorCommand) => void;
}

export function DocumentsBar({ about, work, isReady, onCount, onCommand }: DocumentsBarProps) {
  const t = useTranslate();
  return (
    <div className={styles.tools}>
      {isRunning(work) ? (
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
            disabled={!isReady}
            disabledReason={t('workbench.not-connected')}
            onClick={() => onCommand('run')}
          >
            {t('workbench.run')}
          </Button>
          {onCount && (
            <Button size="small" tone="ghost" icon={Hash} disabled={!isReady} onClick={onCount}>
              {t('mongo.count')}
            </Button>
          )}
        </>
      )}
      <Button size="small" tone="ghost" icon={Bookmark} disabled={!isReady} onClick={() => onCommand('save')}>
        {t('workbench.save')}
      </Button>
      <span className={styles.grow} />
      <span className={styles.who} title={t('workbench.who', { database: about.database, user: about.dbUser })}>
        <b>{about.database}</b> <code>{about.dbUser}</code>
      </span>
    </div>
  );
}
