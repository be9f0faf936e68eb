/** Says that the gateway does not answer, and goes away by itself as soon as it does. Floats, so that nothing moves. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { useQueryClient } from '@tanstack/react-query';
import WifiOff from 'lucide-react/icons/wifi-off';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './connection-banner.module.css';

export function ConnectionBanner() {
  const t = useTranslate();
  const { connection } = useBrowser();
  const state = useSyncExternalStore(connection.subscribe, connection.state);
  useRefreshAfter(state);

  if (state === 'ok') return null;
  const isOffline = navigator.onLine === false;
  return (
    <div className={styles.banner}>
      <Notice
        tone="warn"
        icon={WifiOff}
        title={t(isOffline ? 'shell.offline-title' : 'shell.lost-title')}
        actions={
          <Button size="small" onClick={connection.retry}>
            {t('shell.retry-now')}
          </Button>
        }
      >
        {t(isOffline ? 'shell.offline-text' : 'shell.lost-text')}
      </Notice>
    </div>
  );
}

/** What is on the screen may be old by the time the gateway is back. */
function useRefreshAfter(state: 'ok' | 'lost'): void {
  const queryClient = useQueryClient();
  const before = useRef(state);
  useEffect(() => {
    if (before.current === 'lost' && state === 'ok') void queryClient.invalidateQueries();
    before.current = state;
  }, [state, queryClient]);
}
