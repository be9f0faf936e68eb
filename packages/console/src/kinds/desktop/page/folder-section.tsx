/** Beside the picture: the folder of this machine that the desktop has as a drive. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import FolderInput from 'lucide-react/icons/folder-input';
import FolderX from 'lucide-react/icons/folder-x';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { canPickFolders, pickFolder } from '../folders/picked-folder.ts';
import { type DesktopView, isOwnSession, type LiveDesktop } from '../session/live-desktop.ts';
import page from './desktop.module.css';
import styles from './session-panel.module.css';

export function FolderSection({ live, view }: { live: LiveDesktop; view: DesktopView }) {
  const t = useTranslate();
  const [isRefused, setRefused] = useState(false);
  const { session, folder } = view;
  if (!session) return null;
  const why = whyNot(view);
  const share = async () => {
    setRefused(false);
    try {
      const picked = await pickFolder();
      if (picked) live.folder.share(picked);
    } catch {
      setRefused(true);
    }
  };
  const isShared = folder?.is === 'on' || folder?.is === 'asking';
  return (
    <section className={styles.section}>
      <h2>{t('desktop.folder')}</h2>
      {why && <p className={page.faint}>{t(why)}</p>}
      {!why && !isShared && (
        <>
          <p className={page.faint}>{t('desktop.folder-text')}</p>
          <div className={styles.clipRow}>
            <Button size="small" icon={FolderInput} onClick={() => void share()}>
              {t('desktop.folder-share')}
            </Button>
          </div>
        </>
      )}
      {!why && isShared && (
        <>
          <p role="status">{t(`desktop.folder-${folder.is === 'on' ? 'on' : 'asking'}`, { name: folder.name })}</p>
          <div className={styles.clipRow}>
            <Button size="small" icon={FolderX} onClick={() => live.folder.end()}>
              {t('desktop.folder-end')}
            </Button>
          </div>
        </>
      )}
      {folder?.why !== undefined && (
        <Notice tone="warn">{t('desktop.folder-refused', { name: folder.name, why: folder.why })}</Notice>
      )}
      {isRefused && <Notice tone="warn">{t('desktop.folder-browser')}</Notice>}
    </section>
  );
}

function whyNot(view: DesktopView) {
  const { session } = view;
  if (!isOwnSession(view)) return 'desktop.folder-watch' as const;
  if (!session?.directories) return 'desktop.folder-off' as const;
  return canPickFolders() ? undefined : ('desktop.folder-chromium' as const);
}
