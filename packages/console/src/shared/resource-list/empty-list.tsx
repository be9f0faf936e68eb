/** What stands in the place of resources, fetched when there are none: whoever has some never needs it. */
import { lazy, Suspense } from 'react';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { NoResourcesProps } from './no-resources.tsx';

export function EmptyList(props: NoResourcesProps) {
  return (
    <Suspense>
      <NoResources {...props} />
    </Suspense>
  );
}

const NoResources = lazy(async () => {
  const { NoResources } = await fetchCode(() => import('./no-resources.tsx'));
  return { default: NoResources };
});
