/** Says which commands elsewhere wait for their owner's yes or no, for as long as they do. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { headlessRoutes } from '@gatehouse/contract/identity/headless';
import { TextLink } from '@gatehouse/design/text-link';
import { useToast } from '@gatehouse/design/toast';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useCurrentPage } from '../../platform/routing/routing.tsx';

export function HeadlessToasts({ news }: { news: number }) {
  const t = useTranslate();
  const api = useApi();
  const toast = useToast();
  const shown = useRef(new Map<string, number>());
  const isThere = useCurrentPage()?.name === 'headless';
  const waiting = useQuery({
    queryKey: ['headless', 'waiting', news],
    queryFn: ({ signal }) => api(headlessRoutes.list, {}, signal),
  }).data;

  useEffect(() => {
    if (!waiting) return;
    const ids = new Set(isThere ? [] : waiting.map(({ requestId }) => requestId));
    for (const [id, number] of shown.current) {
      if (ids.has(id)) continue;
      toast.dismiss(number);
      shown.current.delete(id);
    }
    for (const { requestId, server, login } of waiting) {
      if (!ids.has(requestId) || shown.current.has(requestId)) continue;
      const link = <TextLink href={pagePath('headless', { requestId })}>{t('shell.headless-look')}</TextLink>;
      const title = t('shell.headless-title', { server, login });
      shown.current.set(
        requestId,
        toast.show({ tone: 'warn', title, text: link, durationMs: Number.POSITIVE_INFINITY }),
      );
    }
  }, [waiting, isThere, toast, t]);
  return null;
}
