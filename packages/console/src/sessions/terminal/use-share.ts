/** The way into a session for others: a link that gives nobody more than their roles do. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { useToast } from '@gatehouse/design/toast';
import { copyText } from '@gatehouse/design/use-copy';
import { useCallback } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { Pane } from './workspace/tabs.ts';

export function useShare(): (pane: Pane) => void {
  const t = useTranslate();
  const toast = useToast();
  return useCallback(
    ({ clusterId, sid }: Pane) => {
      if (sid === undefined) return;
      const link = new URL(pagePath('consoleSession', { clusterId, sid }), window.location.origin).href;
      void copyText(link).then((isCopied) =>
        toast.show(
          isCopied
            ? { tone: 'ok', title: t('terminal.shared'), text: t('terminal.shared-text') }
            : { tone: 'warn', title: t('terminal.share-by-hand'), text: link },
        ),
      );
    },
    [t, toast],
  );
}
