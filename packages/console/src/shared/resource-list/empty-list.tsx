/** What stands in the place of resources, fetched when there are none: whoever has some never needs it. */
import { Suspense } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import type { NoResourcesProps } from './no-resources.tsx';

export function EmptyList(props: NoResourcesProps) {
  return (
    <Suspense>
      <NoResources {...props} />
    </Suspense>
  );
}

const NoResources = lazyPart(() => import('./no-resources.tsx').then((file) => file.NoResources));
