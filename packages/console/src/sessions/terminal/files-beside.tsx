/** The files of the server one is on, beside its terminal; over it where there is no room. */

import { IconButton } from '@gatehouse/design/icon-button';
import ExternalLink from 'lucide-react/icons/external-link';
import X from 'lucide-react/icons/x';
import { Suspense, useEffect, useMemo, useRef } from 'react';
import { useStore } from '../../platform/browser/store.ts';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PageLink } from '../../platform/routing/routing.tsx';
import styles from './files-beside.module.css';
import type { LiveTerminal } from './session/live-terminal.ts';
import { commandOf } from './terminal-keys.ts';
import { type Pane, paneName } from './workspace/tabs.ts';

interface FilesBesideProps {
  pane: Pane;
  live: LiveTerminal;
  onClose: () => void;
}

export function FilesBeside({ pane, live, onClose }: FilesBesideProps) {
  const t = useTranslate();
  const place = useRef<HTMLElement>(null);
  const { clusterId, server, login } = pane;
  const { folder } = useStore(live.view);
  const at = useMemo(() => ({ clusterId, server, login }), [clusterId, server, login]);
  // Whoever opened it by a key goes on with the keyboard there.
  useEffect(() => place.current?.focus(), []);
  // The key that led here leads back: the terminal, which hears the others, does not have the focus now.
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (commandOf(event, false) !== 'files') return;
      event.preventDefault();
      close.current();
    };
    const { current } = place;
    current?.addEventListener('keydown', hear);
    return () => current?.removeEventListener('keydown', hear);
  }, []);
  return (
    <aside
      ref={place}
      className={styles.files}
      aria-label={t('terminal.files-of', { name: paneName(pane) })}
      tabIndex={-1}
    >
      <header className={styles.head}>
        <strong>{t('terminal.files')}</strong>
        <code className={styles.name}>{paneName(pane)}</code>
        <PageLink
          page="files"
          params={{ clusterId, serverId: server, login }}
          className={styles.own}
          aria-label={t('terminal.files-own')}
          title={t('terminal.files-own')}
        >
          <ExternalLink size={16} aria-hidden="true" />
        </PageLink>
        <IconButton icon={X} size="small" label={t('terminal.files-close')} onClick={onClose} />
      </header>
      <Suspense>
        <FilesPanel key={`${server} ${login}`} at={at} isNarrow shellFolder={folder} />
      </Suspense>
    </aside>
  );
}

const FilesPanel = lazyPart(
  () => import('../../kinds/node/files/files-panel.tsx').then((file) => file.FilesPanel),
  ['files'],
);
