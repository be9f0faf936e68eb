/** Says in every open console that a command elsewhere waits for its owner's yes or no. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { HEADLESS_NEWS } from '../../platform/sign-in/live-changes.tsx';

/** Nobody is asked, and nothing fetched, before there is news: hardly anybody ever has any. */
export function HeadlessNews() {
  const { data: news = 0 } = useQuery<number>({ queryKey: HEADLESS_NEWS, queryFn: skipToken });
  return <Suspense>{news > 0 && <HeadlessToasts news={news} />}</Suspense>;
}

const HeadlessToasts = lazyPart(() => import('./headless-toasts.tsx').then((file) => file.HeadlessToasts));
